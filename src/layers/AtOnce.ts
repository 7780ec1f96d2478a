import * as Effectable from "effect/Effectable"
import type * as Exit from "effect/Exit"

/** An effect that waits for nothing: whoever must not wait for long may take its exit, and needs no fiber that could be left. */
export class AtOnce<A, E> extends Effectable.Class<A, E> {
  readonly exit: () => Exit.Exit<A, E>

  constructor(exit: () => Exit.Exit<A, E>) {
    super()
    this.exit = exit
  }

  override commit() {
    return this.exit()
  }
}

import { assert, it } from "@effect/vitest"
import * as SortedMap from "effect/SortedMap"
import { joining } from "../../src/compaction/turnRecords.ts"
import type { Body } from "../../src/session/SessionEvent.ts"
import * as Message from "../../src/session/Message.ts"
import { counted, fold } from "./events.ts"

const queued = (text: string): Body => ({ type: "message/queued", data: { message: Message.user(text) } })

it("context that waits joins in the order in which it came, ten thousand messages too, and leaves earlier states alone", () => {
  const many = fold(Array.from({ length: 10_000 }, (_, i) => queued(`${i}`)))
  const drafts = joining(many)
  assert.deepStrictEqual(
    drafts.map((draft) => (draft.type === "message/user" ? Message.text(draft.data.message) : draft.type)),
    Array.from({ length: 10_000 }, (_, i) => `${i}`)
  )
  const joined = drafts.flatMap((draft): ReadonlyArray<Body> =>
    draft.type === "message/user" ? [{ ...draft, data: { ...draft.data, counts: counted(draft.data.message) } }] : []
  )
  const half = fold(joined.slice(0, 5_000), many)
  assert.deepStrictEqual(
    [many, half, fold(joined.slice(5_000), half)].map((state) => SortedMap.size(state.queued)),
    [10_000, 5_000, 0]
  )
  assert.strictEqual(joining(half).length, 5_000)
})

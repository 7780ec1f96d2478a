// Deliberate breaks of the core. Each must be caught by the property of its promise: `npm run mutants` shows it.

export interface Edit {
  readonly file: string
  /** occurs exactly once in the file */
  readonly search: string
  readonly replace: string
}

export interface Mutant {
  readonly id: string
  readonly promises: ReadonlyArray<string>
  readonly edits: ReadonlyArray<Edit>
  /** the test files that must catch it, each by itself */
  readonly tests: ReadonlyArray<string>
}

const property = (promise: string) => `test/properties/${promise}.test.ts`

/** `promises` are caught by their own property files. */
const mutant = (id: string, promises: ReadonlyArray<string>, ...edits: ReadonlyArray<Edit>): Mutant => ({
  id,
  promises,
  edits,
  tests: promises.map(property)
})

const edit = (file: string, search: string, replace: string): Edit => ({ file, search, replace })

const surface = "src/layers/Surface.ts"
const rescue = "src/compaction/rescue.ts"
const fold = "src/compaction/SessionFold.ts"
const loop = "src/layers/AgentLoop.ts"

export const mutants: ReadonlyArray<Mutant> = [
  mutant(
    "the generation moves before the write",
    ["I01"],
    edit(surface, "const wrote = write(log.append(", "current = state\n      const wrote = write(log.append(")
  ),
  mutant(
    "an append is acknowledged although its write failed",
    ["I01"],
    edit(
      surface,
      "      return Exit.isExit(wrote)\n",
      "      if (seq >= 0) return Effect.map(Effect.exit(wrote), outcome.onSuccess)\n      return Exit.isExit(wrote)\n"
    )
  ),
  mutant(
    "a replacement that does not shrink is accepted",
    ["I02"],
    edit(surface, "if (!priced.smaller) {", "if (!priced.smaller && priced.after < 0) {")
  ),
  mutant(
    "the guard always grants a retry",
    ["I03"],
    edit(rescue, "const retry = after > error.generation && (yield* options.fits(error))", "const retry = true")
  ),
  mutant(
    "the guard asks for progress since it was asked, not since the request was built",
    ["I03"],
    edit(
      rescue,
      "if ((yield* options.generation) === error.generation) yield* setAside(options.climb)\n      const after = yield* options.generation\n      const retry = after > error.generation",
      "const seen = yield* options.generation\n      yield* setAside(options.climb)\n      const after = yield* options.generation\n      const retry = after > seen"
    )
  ),
  mutant(
    "a crash refills the attempts of a chain",
    ["I03"],
    edit(
      "src/compaction/recordFold.ts",
      "return event.data.settled === true ? ended : { ...ended, ...chainOver }",
      "return { ...ended, ...chainOver }"
    )
  ),
  mutant(
    "each attempt has all the attempts",
    ["I03"],
    edit(rescue, "asked[unit] < options.retries[unit]", "asked[unit] < options.retries[unit] + 5")
  ),
  mutant(
    "the recovery's own failure takes the place of the provider's error",
    ["I04"],
    edit(rescue, "Cause.map(original.givenUp.cause as Cause.Cause<E>, Cause.originalError)", "Cause.die(original)")
  ),
  mutant(
    "the error comes out as the proxy that a span made of it",
    ["I04"],
    edit(
      rescue,
      "Cause.map(original.givenUp.cause as Cause.Cause<E>, Cause.originalError)",
      "(original.givenUp.cause as Cause.Cause<E>)"
    )
  ),
  mutant(
    "a failure under pressure fails the turn",
    ["I05"],
    edit(
      "src/layers/runCompaction.ts",
      "if (Option.isSome(run) && Exit.isSuccess(run.value)) return Option.some(run.value.value)",
      "if (Option.isSome(run)) return Option.some(yield* run.value as Exit.Exit<Outcome>)"
    )
  ),
  mutant(
    "a run that was given up keeps its ticket",
    ["I11"],
    edit(
      "src/layers/runCompaction.ts",
      "Exit.isSuccess(exit) && Option.isSome(exit.value) ? Effect.void : surface.voidTicket(me)",
      "Exit.isSuccess(exit) && Option.isSome(exit.value) ? Effect.void : surface.voidTicket({})"
    )
  ),
  mutant(
    "a pair may be split",
    ["I06"],
    edit(
      "src/session/SurfaceReplace.ts",
      "if (!isBetweenUnits(state, from) || !isBetweenUnits(state, to + 1)) {",
      "if (to < from) {"
    ),
    edit("src/session/SurfaceUnits.ts", "if (answered === -1) return", "if (answered === -1 && seq < 0) return"),
    edit(
      "src/session/SurfaceUnits.ts",
      "  if (unanswered.length > 0) {\n    const waiting",
      "  if (unanswered.length > 0 && seq < 0) {\n    const waiting"
    )
  ),
  mutant(
    "missing results are not filled in before something else comes",
    ["I06"],
    edit("src/compaction/drafts.ts", "drafts.push(abortedResult(call))", "void abortedResult")
  ),
  mutant(
    "two calls of one answer may have the same id",
    ["I06"],
    edit("src/compaction/drafts.ts", "{ ...block, id: freeId(block.id, open) }", "block")
  ),
  mutant(
    "the sources of a replacement are not checked",
    ["I07"],
    edit(
      fold,
      "span.sources !== undefined && !sameSeqs(span.sources, shadowed)",
      "span.sources === undefined && !sameSeqs([], shadowed)"
    )
  ),
  mutant(
    "replay does not know which request a count was of",
    ["I07"],
    edit(
      "src/layers/sessionLog.ts",
      "const next = applyAll(state, events, estimator)",
      'const next = applyAll(state, events.filter((event) => event.type !== "step/start"), estimator)'
    )
  ),
  {
    id: "the beginning of a copy passes for a branch",
    promises: ["I07"],
    edits: [edit("src/compaction/SessionState.ts", "revision > parent.seq", "revision > 0")],
    tests: ["test/loop/branch.test.ts"]
  },
  mutant("a branch is one event short", ["I07"], edit("src/layers/branching.ts", "to + 1 - seq)", "to - seq)")),
  mutant(
    "what a dead writer left open stays open",
    ["I08"],
    edit(surface, "    ...settling(current).map((draft) => counted(draft))\n", "")
  ),
  mutant(
    "an interrupted compaction leaves no record of its end",
    ["I08", "I10"],
    edit(
      "src/layers/rungs/checkpointRun.ts",
      "state.openCompaction?.id === id ? [",
      "state.openCompaction?.id === id && !Cause.isInterrupted(exit.cause) ? ["
    )
  ),
  mutant(
    "closing the scope does not end the turn",
    ["I08"],
    edit(
      "src/layers/turnStream.ts",
      "Effect.tap(Effect.forkDaemon(run), (fiber) => FiberSet.add(turns, fiber))",
      "Effect.forkDaemon(run)"
    )
  ),
  mutant(
    "an interrupted turn is closed without the results in hand",
    ["I08"],
    edit(
      loop,
      "closing(state, endOf(exit), resultDrafts(state.surface.unanswered, answers))",
      "closing(state, endOf(exit), resultDrafts(state.surface.unanswered, new Map()))"
    )
  ),
  mutant(
    "the store gives its lock to everybody",
    ["I09"],
    edit("src/layers/logMemory.ts", "if (log.owner !== undefined) {", "if (log.owner === log) {")
  ),
  mutant(
    "another process's lock is not respected",
    ["I09"],
    edit(
      "src/layers/logLock.ts",
      'if (state !== "gone") return yield* lockedBy(',
      'if (state === "never") return yield* lockedBy('
    )
  ),
  {
    id: "a batch is acknowledged before it is synced",
    promises: ["I07"],
    edits: [
      edit(
        "src/layers/logWriter.ts",
        "    if (sync) {\n      const synced =",
        "    if (sync && seq < 0) {\n      const synced ="
      )
    ],
    tests: ["test/power/powerLoss.test.ts"]
  },
  {
    id: "a writer whose lock was removed goes on",
    promises: ["I09"],
    edits: [edit("src/layers/logGuard.ts", "      held ? undefined :", "      held || !held ? undefined :")],
    tests: ["test/layers/LogStoreGuard.test.ts"]
  },
  mutant(
    "a second prompt runs beside the first",
    ["I09"],
    edit(
      "src/layers/occupancy.ts",
      "if (occupant !== undefined) return Effect.fail(busy())",
      'if (occupant === "request") return Effect.fail(busy())'
    )
  ),
  mutant(
    "two compactions run at a time",
    ["I10"],
    edit(
      "src/layers/compactionRuns.ts",
      "return Effect.zipRight(Effect.interruptible(lock.take(1)), take(trigger))",
      "return take(trigger)"
    ),
    edit(
      "src/layers/compactionRuns.ts",
      'if (busy === "fail" && open !== undefined)',
      'if (busy !== "wait" && busy !== "fail")'
    )
  ),
  mutant("the ticket is ignored", ["I11"], edit(surface, "if (!runs.isOpen(ticket)) {", "if (ticket === undefined) {")),
  mutant(
    "a stale span lands",
    ["I11"],
    edit(
      surface,
      "if (changed !== undefined) return Either.left(new SpanChanged(",
      "if (changed === null) return Either.left(new SpanChanged("
    )
  ),
  mutant(
    "too many bytes have as many attempts as too many tokens",
    ["I12"],
    edit("src/layers/rescuedRequest.ts", "Math.min(maxOverflowRetries, 1) - before.byteRefusals", "maxOverflowRetries")
  ),
  mutant(
    "a summary is tried for too many bytes",
    ["I12"],
    edit("src/layers/ladder.ts", 'if ((rung.reduces ?? "tokens") !== reduces) continue\n', "")
  ),
  mutant(
    "an overflow of another route is rescued",
    ["I12"],
    edit("src/layers/overflowSign.ts", "if (!Route.equals(error.route, route))", "if (error.route === undefined)")
  ),
  mutant(
    "every error is an overflow",
    ["I12"],
    edit("src/layers/overflowSign.ts", 'return tag === "ContextWindowExceeded"', "return tag !== null")
  ),
  {
    id: "an answer whose tools ran is asked for again by what was counted for it",
    promises: ["I12"],
    edits: [
      edit(
        "src/ai/rescuedCalls.ts",
        'finish: ({ content }) => (guardedCall.hasCalls(content) ? "tool-calls" : "stop")',
        'finish: () => "stop"'
      )
    ],
    tests: ["test/ai/guardedTools.test.ts"]
  },
  {
    id: "a tool's failure is not sealed",
    promises: ["I12"],
    edits: [
      edit(
        "src/ai/sealedToolkit.ts",
        "Effect.mapError((error) => new ToolFailed(error) as never)",
        "Effect.mapError((error) => error as never)"
      )
    ],
    tests: ["test/ai/guardedTools.test.ts"]
  },
  {
    id: "a recorded summary stands for messages that are others by now",
    promises: ["I11"],
    edits: [edit("src/compaction/recordedSummary.ts", ".every((node) => node.seq < seq)", ".every(() => true)")],
    tests: ["test/loop/paidSummary.test.ts"]
  },
  {
    id: "a recorded summary stands for what has to stay",
    promises: ["I02"],
    edits: [
      edit("src/compaction/reusing.ts", "if (from !== 0 || to > end) return false", "if (from !== 0) return false")
    ],
    tests: ["test/loop/paidSummary.test.ts"]
  }
]

// Ends every test run with one plain line, for whoever reads the output without knowing the runner.
import type { Reporter, SerializedError, TestModule } from "vitest/node"

const count = (modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>) => {
  let passed = 0
  let skipped = 0
  // what fails outside of a test fails the run too: an error that nobody caught, a file or a hook that threw
  let failed = unhandled.length
  for (const module of modules) {
    failed += module.errors().length
    for (const suite of module.children.allSuites()) failed += suite.errors().length
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === "passed") passed++
      else if (state === "skipped") skipped++
      // a test that never came to its end did not pass
      else failed++
    }
  }
  return { passed, failed, skipped }
}

/** Which log stores the run tested: a store is a suite, one that the machine lacks a skipped one that says why. */
const stores = (modules: ReadonlyArray<TestModule>) => {
  const tested: Array<string> = []
  const skipped: Array<string> = []
  for (const module of modules) {
    for (const suite of module.children.suites()) {
      const [, store] = /^log store: (.*)$/.exec(suite.name) ?? []
      if (store === undefined) continue
      const ran = [...suite.children.allTests()].some((test) => test.result().state !== "skipped")
      ;(ran ? tested : skipped).push(store)
    }
  }
  return { tested, skipped }
}

export class SummaryReporter implements Reporter {
  private counted: ReturnType<typeof count> | undefined
  private stores: ReturnType<typeof stores> = { tested: [], skipped: [] }

  constructor() {
    // on exit, so that the other reporters and the runner's own last words come before it
    process.once("exit", (code) => {
      if (this.counted === undefined && code === 0) return
      const { failed, passed, skipped } = this.counted ?? { passed: 0, failed: 0, skipped: 0 }
      // a run that failed without a failed test, such as one that found no tests, is no success
      const failures = code === 0 ? failed : Math.max(failed, 1)
      const { tested, skipped: lacking } = this.stores
      if (tested.length > 0) process.stdout.write(`log stores tested: ${tested.sort().join(", ")}\n`)
      if (lacking.length > 0) process.stdout.write(`log stores skipped: ${lacking.sort().join(", ")}\n`)
      process.stdout.write(`${passed} passed, ${failures} failed${skipped === 0 ? "" : `, ${skipped} skipped`}\n`)
    })
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    this.counted = count(modules, unhandled)
    this.stores = stores(modules)
  }
}

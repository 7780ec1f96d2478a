import { assert, describe, it } from "@effect/vitest"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { errorRecord, errorText } from "../../src/errors/errorRecord.ts"

const request = HttpClientRequest.post("http://model.test", { headers: { authorization: "Bearer sk-planted-1" } })
const client = new HttpClientError.RequestError({ request, reason: "Transport" })

describe("what is told of an error", () => {
  it("leaves out a request that stands in its message", () => {
    const printed = JSON.stringify(client, undefined, 2)
    // else this shows nothing
    assert.include(printed, "sk-planted-1")
    const error = new Error(`StatusCode: 500\nResponse Body: ${printed}`)
    assert.strictEqual(errorText(error), "StatusCode: 500\nResponse Body: (a request, left out)")
    for (const told of [errorRecord(error).message, errorText(printed), errorText(error.message)]) {
      assert.notInclude(told, "sk-planted-1")
    }
  })

  it("is its message otherwise, whatever stands in it", () => {
    assert.strictEqual(errorText(new Error('no {"such"} thing')), 'no {"such"} thing')
  })
})

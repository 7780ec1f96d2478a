import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlLogStore } from "../../src/sql/index.ts"
import { storeSuite } from "../layers/storeSuite.ts"
import { databases } from "./databases.ts"

for (const { fresh, missing, name } of databases) {
  const layer = Layer.unwrapScoped(
    Effect.map(fresh, ({ client, tablePrefix }) => Layer.provide(SqlLogStore.layer({ tablePrefix }), client))
  )
  storeSuite(name, layer, missing)
}

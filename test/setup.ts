// Properties run on the same cases every time, so that a red run is the change's doing and can be repeated. Other cases:
// PROPERTY_SEED=random npm test, or a seed that a failure printed.
import * as FastCheck from "effect/FastCheck"

const { PROPERTY_SEED = "20261201" } = process.env
if (PROPERTY_SEED !== "random")
  FastCheck.configureGlobal({ ...FastCheck.readConfigureGlobal(), seed: Number(PROPERTY_SEED) })

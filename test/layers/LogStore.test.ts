import * as LogStore from "../../src/layers/LogStore.ts"
import { layerFileTemporary } from "./logs.ts"
import { storeSuite } from "./storeSuite.ts"

storeSuite("memory", LogStore.layerMemory)
storeSuite("file", layerFileTemporary)

/**
 * What needs Node: the log as files.
 *
 * @since 0.1.0
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Layer from "effect/Layer"
import { hostname } from "node:os"
import type { LogStore } from "../../services/LogStore.ts"
import { type FileOptions, layerFile } from "../LogStore.ts"

/**
 * `LogStore.layerFile` on Node's file system.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerLogStoreFile = (options: FileOptions): Layer.Layer<LogStore> =>
  Layer.provide(layerFile({ host: hostname(), ...options }), NodeFileSystem.layer)

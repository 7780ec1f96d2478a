/**
 * Where logs are kept: in memory, or in a folder of files.
 *
 * @since 0.1.0
 */
export { type Batch, type EncodedBatch, type LogHandle, LogStore, type Replay } from "../services/LogStore.ts"

export {
  /**
   * A file a session in `directory`, on any `FileSystem`. Nothing that was acknowledged is lost, not even with the
   * machine's power; a session has one writer across processes, and a dead one is followed at once.
   *
   * @since 0.1.0
   * @category layers
   */
  layer as layerFile,
  /**
   * @since 0.1.0
   * @category constructors
   */
  make as makeFile,
  /**
   * @since 0.1.0
   * @category models
   */
  type Options as FileOptions
} from "./logFile.ts"

export {
  /**
   * Logs that live as long as the layer.
   *
   * @since 0.1.0
   * @category layers
   */
  layer as layerMemory,
  /**
   * @since 0.1.0
   * @category constructors
   */
  make as makeMemory
} from "./logMemory.ts"

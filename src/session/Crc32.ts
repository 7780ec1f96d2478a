/**
 * CRC-32 as zip, gzip and PNG have it (IEEE, reflected). Opening a log reads each of its bytes, so the platform's own is
 * taken where there is one; what stands here does eight bytes a step.
 *
 * @since 0.1.0
 */

const makeTables = (): ReadonlyArray<Uint32Array> => {
  const tables = Array.from({ length: 8 }, () => new Uint32Array(256))
  for (let byte = 0; byte < 256; byte++) {
    let value = byte
    for (let table = 0; table < 8; table++) {
      for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0)
      tables[table]![byte] = value
    }
  }
  return tables
}

const [t0, t1, t2, t3, t4, t5, t6, t7] = /* @__PURE__ */ makeTables() as [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array
]

/** The same sum wherever there is JavaScript. */
export const portable = (bytes: Uint8Array, start: number = 0, end: number = bytes.length): number => {
  let crc = -1
  let at = start
  // the tables have 256 entries and the index is a byte: nothing here can be undefined
  for (const last = end - 8; at <= last; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    crc =
      t7[crc & 0xff]! ^
      t6[(crc >>> 8) & 0xff]! ^
      t5[(crc >>> 16) & 0xff]! ^
      t4[crc >>> 24]! ^
      t3[bytes[at + 4]!]! ^
      t2[bytes[at + 5]!]! ^
      t1[bytes[at + 6]!]! ^
      t0[bytes[at + 7]!]!
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]!) & 0xff]!
  return ~crc >>> 0
}

type Native = (bytes: Uint8Array) => number

interface Platform {
  readonly process?: { readonly getBuiltinModule?: (name: string) => { readonly crc32?: Native } | undefined }
}

/** Node's, asked for without an import, since this module runs in browsers too. */
const native = (globalThis as Platform).process?.getBuiltinModule?.("node:zlib")?.crc32

/**
 * The checksum of `bytes` from `start` to `end`, as an unsigned number.
 *
 * @since 0.1.0
 * @category checksums
 */
export const compute: typeof portable =
  native === undefined ? portable : (bytes, start, end) => native(bytes.subarray(start, end))

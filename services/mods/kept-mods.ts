/** What farmgate keeps of the mods, in a file next to its records: sides, links of the pack, and the last change. */
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as v from 'valibot'
import { type ModSide, modSide } from '../../handlers/mod-record.ts'
import { openAtomicFile } from '../../lib/atomic-file.ts'
import { readSmallFile } from '../../lib/foreign/file.ts'
import { listOf, mapOf, readForeign } from '../../lib/foreign/read.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'

const maxBytes = 8 * 1024 ** 2

const kept = v.object({
  /** By the id in lower case. */
  sides: mapOf(modSide, 20_000),
  /** The SHA-256 of each code, and when it ends, milliseconds since 1970. */
  links: listOf(v.object({ digest: v.string(), expiresAt: v.number() }), 1000),
  /** When a mod was last changed, until the game starts again; milliseconds since 1970. */
  changedAt: v.exactOptional(v.number()),
})
export type Kept = v.InferOutput<typeof kept>

export const sideOf = (sides: Kept['sides'], id: string): ModSide => sides.get(id.toLowerCase()) ?? 'unknown'

/** @param path of the file; one that is missing or damaged is empty */
export function keptMods(path: string) {
  const inTurn = oneAtATime().run
  let current: Promise<Kept> | undefined
  const read = () => {
    current ??= readSmallFile(path, maxBytes).then((text) => readForeign(kept, text) ?? empty(), empty)
    return current
  }
  return {
    read,
    /** @throws the error of the file system */
    change: (change: (now: Kept) => Kept) =>
      inTurn(async () => {
        const next = change(await read())
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        const file = await openAtomicFile(path, { temporary: `${path}.new`, mode: 0o600 })
        await file.commit(JSON.stringify({ ...next, sides: Object.fromEntries(next.sides) }))
        current = Promise.resolve(next)
      }),
  }
}

const empty = (): Kept => ({ sides: new Map(), links: [] })

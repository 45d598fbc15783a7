/** What farmgate keeps of the mods, in a file next to its records: sides, links of the pack, and the last change. */
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as v from 'valibot'
import { type ModSide, modSide } from '../../handlers/mod-record.ts'
import { openAtomicFile } from '../../lib/atomic-file.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'

const kept = v.object({
  /** By the id in lower case. */
  sides: v.record(v.string(), modSide),
  /** The SHA-256 of each code, and when it ends, milliseconds since 1970. */
  links: v.array(v.object({ digest: v.string(), expiresAt: v.number() })),
  /** When a mod was last changed, until the game starts again; milliseconds since 1970. */
  changedAt: v.exactOptional(v.number()),
})
export type Kept = v.InferOutput<typeof kept>

export const sideOf = (sides: Kept['sides'], id: string): ModSide => sides[id.toLowerCase()] ?? 'unknown'

/** @param path of the file; one that is missing or damaged is empty */
export function keptMods(path: string) {
  const inTurn = oneAtATime().run
  let current: Promise<Kept> | undefined
  const read = () => {
    current ??= readFile(path, 'utf8').then(
      (text) => v.parse(v.fallback(v.pipe(v.string(), v.parseJson(), kept), empty), text),
      empty,
    )
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
        await file.commit(JSON.stringify(next))
        current = Promise.resolve(next)
      }),
  }
}

const empty = (): Kept => ({ sides: {}, links: [] })

/** What farmgate keeps of the mods, in a file next to its records: sides, links of the pack, and the last change. */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import * as v from 'valibot'
import type { Deletion } from '../../handlers/deletion.ts'
import { type ModSide, modSide } from '../../handlers/mod-record.ts'
import { replacePrivateFile } from '../../lib/atomic-file.ts'
import { readSmallFile } from '../../lib/foreign/file.ts'
import { listOf, mapOf, readForeign } from '../../lib/foreign/read.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'

const maxBytes = 8 * 1024 ** 2

const link = v.object({
  id: v.string(),
  /** The SHA-256 of its code. */
  digest: v.string(),
  /** Milliseconds since 1970. */
  createdAt: v.number(),
  expiresAt: v.number(),
  by: v.object({ id: v.string(), name: v.string() }),
})
/** Of a link that was made before links could be listed, no more was kept. */
const olderLink = v.object({ digest: v.string(), expiresAt: v.number() })

const kept = v.object({
  /** By the id in lower case. */
  sides: mapOf(modSide, 20_000),
  links: listOf(v.union([link, olderLink]), 1000),
  /** When a mod was last changed, until the game starts again; milliseconds since 1970. */
  changedAt: v.exactOptional(v.number()),
})
export interface Kept extends Omit<v.InferOutput<typeof kept>, 'links'> {
  readonly links: readonly v.InferOutput<typeof link>[]
}

export const sideOf = (sides: Kept['sides'], id: string): ModSide => sides.get(id.toLowerCase()) ?? 'unknown'

/** @param path of the file; one that is missing or damaged is empty */
export function keptMods(path: string) {
  const inTurn = oneAtATime().run
  let current: Promise<Kept> | undefined
  const read = () => {
    current ??= readFile(path).catch(empty)
    return current
  }
  const write = (next: Kept) =>
    replacePrivateFile(path, JSON.stringify({ ...next, sides: Object.fromEntries(next.sides) }))
  return {
    read,
    /** @throws the error of the file system */
    change: (change: (now: Kept) => Kept) =>
      inTurn(async () => {
        const next = change(await read())
        await write(next)
        current = Promise.resolve(next)
      }),
    /** Removes a link, whether or not the file can be written. */
    revoke: (id: string): Promise<Deletion> =>
      inTurn(async () => {
        const now = await read()
        const links = now.links.filter((link) => link.id !== id)
        if (links.length === now.links.length) return false
        const next = { ...now, links }
        current = Promise.resolve(next)
        return write(next).then(
          () => true,
          () => 'memory' as const,
        )
      }),
  }
}

/** @throws the error of the file system */
async function readFile(path: string): Promise<Kept> {
  const found = readForeign(kept, await readSmallFile(path, maxBytes))
  if (found === undefined) return empty()
  const { mtimeMs } = await stat(path)
  const links = found.links.map((one) => ('id' in one ? one : { ...one, ...ofOlderLink(one, mtimeMs) }))
  return { ...found, links }
}

/** What the list shows of a link of which it was not kept. It was made before the file was last written. */
const ofOlderLink = ({ digest }: v.InferOutput<typeof olderLink>, writtenAt: number) => ({
  id: createHash('sha256').update(digest).digest('hex').slice(0, 12),
  createdAt: writtenAt,
  by: { id: 'unknown', name: 'unknown' },
})

const empty = (): Kept => ({ sides: new Map(), links: [] })

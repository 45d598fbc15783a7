/** Asks SMAPI's update API which mods have newer versions. Its answer is not trusted. */

import * as v from 'valibot'
import { FarmError } from '../../handlers/farm-error.ts'
import type { ModUpdate } from '../../handlers/mod-record.ts'
import type { Clock } from '../../lib/clock.ts'
import { bodyText } from '../../lib/foreign/body-text.ts'
import { checkForeign, foreignValue } from '../../lib/foreign/read.ts'
import { isOlder } from './compare-versions.ts'
import { type ModManifest, modVersion } from './manifest.ts'
import { keyOf } from './relations.ts'

const limits = { bytes: 4 * 1024 ** 2, mods: 1000 } as const
/** Milliseconds for which an answer counts, and a failure. */
const kept = { answer: 6 * 3_600_000, failure: 60_000 } as const
/** The API recommends nothing without the version of SMAPI that asks. */
const asker = { apiVersion: '4.0.0', platform: 'Linux', includeExtendedMetadata: false } as const

const update = v.object({
  id: v.pipe(v.string(), v.maxLength(128)),
  suggestedUpdate: v.object({
    version: modVersion,
    url: v.pipe(
      v.string(),
      v.maxLength(1000),
      v.check((text) => ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? '')),
    ),
  }),
})

export interface UpdateParts extends Pick<Clock, 'monotonic'> {
  /** `MODS_UPDATES_URL` */
  readonly url: string
  readonly fetch: typeof globalThis.fetch
  /** Milliseconds that an answer may take. */
  readonly within?: number
}

export function lookForUpdates({ url, fetch, monotonic, within = 20_000 }: UpdateParts) {
  let last:
    | { readonly of: string; readonly at: number; readonly answer: Promise<Map<string, Found>> }
    | undefined
  let known: ReadonlyMap<string, Found> = new Map()
  const ask = async (body: string): Promise<Map<string, Found>> => {
    const signal = AbortSignal.timeout(within)
    const headers = { 'Content-Type': 'application/json', 'User-Agent': 'farmgate' }
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch(
      () => {
        throw unavailable('does not answer')
      },
    )
    const read = await bodyText(response.body, limits.bytes, signal)
    if (!response.ok) throw unavailable(`answered ${response.status}`)
    const answer = 'text' in read ? foreignValue(read.text) : undefined
    if (!Array.isArray(answer)) throw unavailable('answered something that is not its API')
    const found = answer.slice(0, limits.mods).flatMap((one) => {
      const parsed = checkForeign(update, one)
      return parsed.success ? [[keyOf(parsed.output.id), parsed.output.suggestedUpdate] as const] : []
    })
    return new Map(found)
  }
  const unavailable = (what: string) =>
    new FarmError({
      kind: 'updates_unavailable',
      sentence: `${URL.parse(url)?.host} ${what} (MODS_UPDATES_URL)`,
    })
  return {
    /** Newer versions, by the id in lower case, as of the last answer. */
    known: (): ReadonlyMap<string, { readonly version: string; readonly url: string }> => known,
    /**
     * @param mods those that are installed now; an answer is kept for six hours while they are the same
     * @throws {FarmError} updates_unavailable
     */
    async look(mods: readonly ModManifest[]): Promise<ModUpdate[]> {
      const asked = mods.slice(0, limits.mods)
      const body = JSON.stringify({
        mods: asked.map(({ id, updateKeys, version }) => ({ id, updateKeys, installedVersion: version })),
        ...asker,
      })
      if (last === undefined || last.of !== body || monotonic() - last.at > kept.answer) {
        const one = { of: body, at: monotonic(), answer: ask(body) }
        last = one
        one.answer.then(
          (found) => {
            known = found
          },
          () => {
            // Asked again after a minute.
            if (last === one) last = { ...one, at: monotonic() - kept.answer + kept.failure }
          },
        )
      }
      const found = await last.answer
      return asked.flatMap(({ id, version }) => {
        const newer = found.get(keyOf(id))
        return newer !== undefined && isOlder(version, newer.version) === true
          ? [{ id, installed: version, ...newer }]
          : []
      })
    },
  }
}

interface Found {
  readonly version: string
  readonly url: string
}

/**
 * The accounts of farmhands, from the file that JunimoServer keeps in the folder of the save it plays. A hostile game
 * can have put anything there.
 */

import * as v from 'valibot'
import type { GameAccount, Status } from '../../handlers/game-records.ts'
import { gameAccount } from '../../handlers/game-records.ts'
import { checkForeign, mapOf, readForeign } from '../../lib/foreign/read.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { activeSave, inSave } from './saves-folder.ts'

export type Owners = ReadonlyMap<bigint, GameAccount>

const fileName = 'farmhand-ownership.json'
/** Maximum of bytes of the file: a farm of 100 farmhands has 10 kB. */
const maxBytes = 1024 * 1024
/** Milliseconds for which the owners are not read again, unless they are asked for now. */
const freshFor = 3000
/** Milliseconds after which a reading disk is not awaited. */
const readWithin = 3000

const none: Owners = new Map()

const file = v.object({ Farmhands: mapOf(v.unknown(), 10_000) })
const record = v.object({
  Platform: gameAccount.entries.platform,
  Id: v.pipe(v.string(), v.regex(/^[1-9][0-9]{0,19}$/)),
})

/**
 * Reads the text of the file. Slots without an account, such as released ones, and entries that are not understood
 * are left out.
 * @returns undefined for a file that is torn, or of an unknown version
 */
export function ownersIn(text: string): Owners | undefined {
  const read = readForeign(file, text)
  if (read === undefined) return undefined
  const owners = new Map<bigint, GameAccount>()
  for (const [id, entry] of read.Farmhands) {
    const owner = checkForeign(record, entry)
    if (owner.success && /^-?[0-9]{1,19}$/.test(id))
      owners.set(BigInt(id), { platform: owner.output.Platform, id: owner.output.Id })
  }
  return owners
}

/**
 * @param savesDir `SAVES_DIR`; without it no farmhand has an account
 * @param status of the game, whose farm names the save
 * @param monotonic milliseconds, never running backwards
 * @returns reads the owners; the same object until they change. What cannot be read changes nothing.
 */
export function ownersOf(
  savesDir: string | undefined,
  status: () => Promise<Status>,
  monotonic: () => number,
) {
  let known: { readonly save: string; readonly text: string; readonly owners: Owners } | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const read = async () => {
    if (savesDir === undefined) return
    const save = await activeSave(savesDir, await status())
    if (save === undefined) return
    const bytes = await inSave(save, (folder) => folder.read(fileName, maxBytes))
    // A larger one is cut.
    if (bytes !== undefined && bytes.length >= maxBytes) return
    const text = bytes?.toString() ?? ''
    if (known?.save === save.name && known.text === text) return
    const owners = bytes === undefined ? none : ownersIn(text)
    if (owners !== undefined) known = { save: save.name, text, owners }
    else if (known?.save !== save.name) known = undefined
  }
  /** @param isNow reads the file although it was read a moment ago */
  return async (isNow = false): Promise<Owners> => {
    if (isNow || monotonic() - readAt >= freshFor) {
      reading ??= read().finally(() => {
        readAt = monotonic()
        reading = undefined
      })
      await withTimeLimit(readWithin, reading, () => new Error('late')).catch(() => undefined)
    }
    return known?.owners ?? none
  }
}

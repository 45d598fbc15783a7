/** The saves in the game's folder, as `/saves` shows them (docs/backups.md, "Saves"). */
import * as v from 'valibot'
import { gameDay } from './backup-record.ts'
import { described } from './described.ts'
import { timestamp } from './game-records.ts'
import { hostOperation } from './host-record.ts'
import { saveHost } from './save-host.ts'

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

export const saveRecord = described(
  'A save in the folder of the game.',
  v.object({
    name: described('Of its folder, such as `Clover_123456789`.', v.string()),
    farmName: v.string(),
    ...gameDay.entries,
    people: described('The host, then the farmhands.', v.array(v.string())),
    host: saveHost,
    bytes: described('Of all its files.', count),
    savedAt: described('When the game last wrote it; of an upload, when it arrived.', timestamp),
    active: described('The game plays this one.', v.boolean()),
    mods: v.optional(
      described(
        'Of the active one: names of the mods that the game has loaded, if known.',
        v.array(v.string()),
      ),
    ),
  }),
)
export type SaveRecord = Readonly<v.InferOutput<typeof saveRecord>>

export const nextSave = described(
  "What the next start of the game loads, by JunimoServer's pointer: `ok` its `save`; `repairable`: the pointer names none, and farmgate repairs it to `save`, which has the same number; `missing` and `none`: it creates a new farm; `unknown`: the pointer cannot be read, or the game is not a JunimoServer.",
  v.object({
    state: v.picklist(['ok', 'repairable', 'missing', 'none', 'unknown']),
    name: v.exactOptional(described('The name in the pointer.', v.string())),
    save: v.exactOptional(v.string()),
  }),
)
export type NextSave = Readonly<v.InferOutput<typeof nextSave>>

export const chosenSave = v.object({
  message: described('A sentence: what the game does.', v.string()),
  output: described("What the game's console has printed.", v.array(v.string())),
  operation: v.exactOptional(described('The operation that loads it, which has begun.', hostOperation)),
})
export type ChosenSave = Readonly<v.InferOutput<typeof chosenSave>>

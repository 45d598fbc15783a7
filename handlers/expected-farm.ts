/** The farm that the game is to play, and another one that it plays (docs/backups.md, "The right farm"). */
import * as v from 'valibot'
import { gameDay } from './backup-record.ts'
import { described, docs } from './described.ts'
import { timestamp } from './game-records.ts'

/** Missing is what is not known, such as the number of a farm whose save cannot be read. */
export const farmMark = described(
  docs("A farm and a day of it; `number` is the game's unique id, which ends the name of its save."),
  v.object({
    name: v.string(),
    number: v.exactOptional(v.string()),
    season: v.exactOptional(gameDay.entries.season),
    day: v.exactOptional(gameDay.entries.day),
    year: v.exactOptional(gameDay.entries.year),
  }),
)
export type FarmMark = Readonly<v.InferOutput<typeof farmMark>>

export const wrongFarm = {
  kind: described(
    docs(
      '`other_farm`: the game plays another farm. `earlier_day`: it plays the farm on a day before the last saved one. `pointer`: the next start of the game would create a new farm.',
    ),
    v.picklist(['other_farm', 'earlier_day', 'pointer']),
  ),
  expected: farmMark,
  found: farmMark,
  since: timestamp,
}
export const unexpectedFarm = described(
  docs(
    'The game does not play the farm that it played before, until someone has decided which one is right.',
  ),
  v.object(wrongFarm),
)
export type UnexpectedFarm = Readonly<v.InferOutput<typeof unexpectedFarm>>

/** What the records keep of the farm that the game is to play. */
export const expectedFarm = v.object({
  expected: v.exactOptional(farmMark),
  unexpected: v.exactOptional(unexpectedFarm),
  /** Farms that someone has added or chosen through farmgate: one becomes the expected farm when the game plays it. */
  allowed: v.array(farmMark),
  /** JunimoServer's pointer after `POST /newgame`, which can name no save. */
  pointer: v.exactOptional(
    v.object({
      /** The new farm has no save yet. */
      isOpen: v.exactOptional(v.literal(true)),
      /** When the game that has the pointer from before its repair in memory was started; empty where it does not say so. */
      repairedIn: v.exactOptional(v.string()),
    }),
  ),
})
export type ExpectedFarm = Readonly<v.InferOutput<typeof expectedFarm>>

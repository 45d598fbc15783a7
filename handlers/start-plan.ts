/** How an operation changes what the game loads at its start, and what it puts back when it fails: its journal. */
import * as v from 'valibot'
import { farmMark } from './expected-farm.ts'

/** The save that the game loads again when the operation fails; missing where none is known. */
const before = v.exactOptional(v.string())
/** The farm that was expected before; missing where none was. */
const expected = v.exactOptional(farmMark)

export const startPlan = v.variant('action', [
  v.object({ action: v.literal('load_save'), save: v.string(), before, expected }),
  v.object({
    action: v.literal('new_farm'),
    farmName: v.string(),
    before,
    expected,
    /** The whole settings file, before and with the settings of the new farm. */
    settings: v.object({ before: v.string(), after: v.string() }),
    /** The names of the saves, and the ids of the farmhands that the game had. */
    saves: v.array(v.string()),
    farmhands: v.array(v.string()),
  }),
])
export type StartPlan = Readonly<v.InferOutput<typeof startPlan>>

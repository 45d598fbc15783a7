/** The input and answer of `PATCH /settings`: members of `server-settings.json` (docs/api.md, "Settings"). */
import * as v from 'valibot'
import { described, docs } from './described.ts'
import { settings } from './game-records.ts'

const flag = v.exactOptional(v.boolean('must be true or false'))

function whole(minimum: number, maximum: number) {
  const wrong = `must be a whole number from ${minimum} to ${maximum}`
  return v.exactOptional(
    v.pipe(v.number(wrong), v.integer(wrong), v.minValue(minimum, wrong), v.maxValue(maximum, wrong)),
  )
}

function text(longest: number) {
  const wrong = `must be a text of 1 to ${longest} characters without blanks at its ends`
  return v.exactOptional(v.pipe(v.string(wrong), v.maxLength(longest, wrong), v.regex(/^\S(.*\S)?$/, wrong)))
}

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  v.exactOptional(v.picklist(names, `must be one of ${names.join(', ')}`))

const farmType = 'must be a whole number from 0 to 7, or the name or mod id of a farm'
const profitMargin = 'must be a number from 0.25 to 1'
const adminSteamIds = 'must be a list of at most 100 account ids, each a text of digits'
const section = 'must be an object'

export const settingsPatch = described(
  docs('The members of server-settings.json that can be changed; missing ones stay unchanged.'),
  v.strictObject({
    game: v.exactOptional(
      v.strictObject(
        {
          farmName: text(64),
          farmType: v.exactOptional(
            v.union(
              [
                v.pipe(v.number(), v.integer(farmType), v.minValue(0, farmType), v.maxValue(7, farmType)),
                v.pipe(v.string(), v.minLength(1, farmType), v.maxLength(128, farmType)),
              ],
              farmType,
            ),
          ),
          profitMargin: v.exactOptional(
            v.pipe(v.number(profitMargin), v.minValue(0.25, profitMargin), v.maxValue(1, profitMargin)),
          ),
          startingCabins: whole(0, 100),
          spawnMonstersAtNight: oneOf(['auto', 'true', 'false']),
          remixBundles: flag,
          remixMines: flag,
          communityCenterYear1: flag,
          cabinLayoutNearby: flag,
          useLegacyRandom: flag,
          petBreed: whole(-1, 9),
          petName: text(64),
          mushroomCave: flag,
          buyJoja: flag,
        },
        section,
      ),
    ),
    server: v.exactOptional(
      v.strictObject(
        {
          maxPlayers: whole(1, 100),
          cabinStrategy: oneOf(['CabinStack', 'FarmhouseStack', 'None']),
          separateWallets: flag,
          existingCabinBehavior: oneOf(['KeepExisting', 'MoveToStack']),
          allowCabinRelocation: flag,
          verboseLogging: flag,
          allowIpConnections: flag,
          enforceFarmhandOwnership: flag,
          lobbyMode: oneOf(['Shared', 'Individual']),
          activeLobbyLayout: text(64),
          adminSteamIds: v.exactOptional(
            v.pipe(
              v.array(
                v.pipe(v.string(adminSteamIds), v.regex(/^[0-9]{1,20}$/, adminSteamIds)),
                adminSteamIds,
              ),
              v.maxLength(100, adminSteamIds),
            ),
          ),
          networkBroadcastPeriod: whole(1, 60),
        },
        section,
      ),
    ),
  }),
)
export type SettingsPatch = v.InferOutput<typeof settingsPatch>

/**
 * Why the game refuses a change of `server.cabinStrategy` when it loads the file: cabins would appear on ground that
 * players use. @returns undefined for a change that it accepts
 */
export function refusedStrategy(from: string, to: string): string | undefined {
  const appears = (to === 'None' && from !== 'None') || (to === 'CabinStack' && from === 'FarmhouseStack')
  return appears
    ? `The game refuses to change server.cabinStrategy from ${from} to ${to} when it loads, because cabins would appear on the farm; type cabins migrate start ${to} in its console instead. Nothing was changed`
    : undefined
}

const takesEffect = described(
  docs(
    '`now`: the game has this value loaded already. `reload`: with `/reload`, or when the game starts. `new_game`: with the next new world.',
  ),
  v.picklist(['now', 'reload', 'new_game']),
)
export type TakesEffect = v.InferOutput<typeof takesEffect>

export const settingsChange = v.object({
  /** As the file has them now. */
  settings,
  /** The members whose value in the file has changed. */
  changed: v.array(
    v.object({ setting: described(docs('Such as `server.maxPlayers`.'), v.string()), takesEffect }),
  ),
})
export type SettingsChange = v.InferOutput<typeof settingsChange>

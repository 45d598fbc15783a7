/** The input and answer of `PATCH /settings`: members of `server-settings.json` (docs/api.md, "Settings"). */
import * as v from 'valibot'
import { described, docs } from './described.ts'
import { settings } from './game-records.ts'

const must = (member: string, be: string) => `Member '${member}' must be ${be}`

const flag = (member: string) => v.exactOptional(v.boolean(must(member, 'true or false')))

function whole(member: string, minimum: number, maximum: number) {
  const wrong = must(member, `a whole number from ${minimum} to ${maximum}`)
  return v.exactOptional(
    v.pipe(v.number(wrong), v.integer(wrong), v.minValue(minimum, wrong), v.maxValue(maximum, wrong)),
  )
}

function text(member: string, longest: number) {
  const wrong = must(member, `a text of 1 to ${longest} characters without blanks at its ends`)
  return v.exactOptional(v.pipe(v.string(wrong), v.maxLength(longest, wrong), v.regex(/^\S(.*\S)?$/, wrong)))
}

const oneOf = <const Names extends readonly string[]>(member: string, names: Names) =>
  v.exactOptional(v.picklist(names, must(member, `one of ${names.join(', ')}`)))

const farmType = must('game.farmType', 'a whole number from 0 to 7, or the name or mod id of a farm')
const profitMargin = must('game.profitMargin', 'a number from 0.25 to 1')
const adminSteamIds = must('server.adminSteamIds', 'a list of at most 100 account ids, each a text of digits')
const section = (name: string) => must(name, 'an object')

export const settingsPatch = described(
  docs('The members of server-settings.json that can be changed; missing ones stay unchanged.'),
  v.strictObject({
    game: v.exactOptional(
      v.strictObject(
        {
          farmName: text('game.farmName', 64),
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
          startingCabins: whole('game.startingCabins', 0, 100),
          spawnMonstersAtNight: oneOf('game.spawnMonstersAtNight', ['auto', 'true', 'false']),
          remixBundles: flag('game.remixBundles'),
          remixMines: flag('game.remixMines'),
          communityCenterYear1: flag('game.communityCenterYear1'),
          cabinLayoutNearby: flag('game.cabinLayoutNearby'),
          useLegacyRandom: flag('game.useLegacyRandom'),
          petBreed: whole('game.petBreed', -1, 9),
          petName: text('game.petName', 64),
          mushroomCave: flag('game.mushroomCave'),
          buyJoja: flag('game.buyJoja'),
        },
        section('game'),
      ),
    ),
    server: v.exactOptional(
      v.strictObject(
        {
          maxPlayers: whole('server.maxPlayers', 1, 100),
          cabinStrategy: oneOf('server.cabinStrategy', ['CabinStack', 'FarmhouseStack', 'None']),
          separateWallets: flag('server.separateWallets'),
          existingCabinBehavior: oneOf('server.existingCabinBehavior', ['KeepExisting', 'MoveToStack']),
          allowCabinRelocation: flag('server.allowCabinRelocation'),
          verboseLogging: flag('server.verboseLogging'),
          allowIpConnections: flag('server.allowIpConnections'),
          enforceFarmhandOwnership: flag('server.enforceFarmhandOwnership'),
          lobbyMode: oneOf('server.lobbyMode', ['Shared', 'Individual']),
          activeLobbyLayout: text('server.activeLobbyLayout', 64),
          adminSteamIds: v.exactOptional(
            v.pipe(
              v.array(
                v.pipe(v.string(adminSteamIds), v.regex(/^[0-9]{1,20}$/, adminSteamIds)),
                adminSteamIds,
              ),
              v.maxLength(100, adminSteamIds),
            ),
          ),
          networkBroadcastPeriod: whole('server.networkBroadcastPeriod', 1, 60),
        },
        section('server'),
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

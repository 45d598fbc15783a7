/** The settings of the farm as a form: their names and kinds (docs/api.md, "Settings"). */
import type { Settings, SettingsPatch } from '../../../client/index.ts'

type Game = NonNullable<SettingsPatch['game']>
type Server = NonNullable<SettingsPatch['server']>

type Kind =
  | { readonly is: 'text'; readonly longest: number }
  | { readonly is: 'number'; readonly least: number; readonly most: number; readonly step: number }
  | { readonly is: 'flag' }
  | { readonly is: 'choice'; readonly of: readonly string[] }
  /** One of the game's own, or the name or mod id of another. */
  | { readonly is: 'farm type' }
  /** A list of ids, each a text of decimal digits. */
  | { readonly is: 'ids' }

const whole = (least: number, most: number): Kind => ({ is: 'number', least, most, step: 1 })
const choice = (...of: readonly string[]): Kind => ({ is: 'choice', of })
const text: Kind = { is: 'text', longest: 64 }
const flag: Kind = { is: 'flag' }

/** A type error where a setting is missing. */
const fields = {
  server: {
    maxPlayers: whole(1, 100),
    cabinStrategy: choice('CabinStack', 'FarmhouseStack', 'None'),
    existingCabinBehavior: choice('KeepExisting', 'MoveToStack'),
    allowCabinRelocation: flag,
    separateWallets: flag,
    allowIpConnections: flag,
    enforceFarmhandOwnership: flag,
    lobbyMode: choice('Shared', 'Individual'),
    activeLobbyLayout: text,
    adminSteamIds: { is: 'ids' },
    networkBroadcastPeriod: whole(1, 60),
    verboseLogging: flag,
  } satisfies Record<keyof Server, Kind>,
  game: {
    farmName: text,
    farmType: { is: 'farm type' },
    profitMargin: { is: 'number', least: 0.25, most: 1, step: 0.25 },
    startingCabins: whole(0, 100),
    spawnMonstersAtNight: choice('auto', 'true', 'false'),
    cabinLayoutNearby: flag,
    remixBundles: flag,
    remixMines: flag,
    communityCenterYear1: flag,
    mushroomCave: flag,
    petName: text,
    petBreed: whole(-1, 9),
    buyJoja: flag,
    useLegacyRandom: flag,
  } satisfies Record<keyof Game, Kind>,
} as const

export type Section = keyof typeof fields
export type FieldName = `server.${keyof Server}` | `game.${keyof Game}`

export interface Field {
  readonly name: FieldName
  readonly section: Section
  readonly member: string
  readonly kind: Kind
}

export const allFields: readonly Field[] = (['server', 'game'] as const).flatMap((section) =>
  Object.entries<Kind>(fields[section]).map(([member, kind]) => ({
    name: `${section}.${member}` as FieldName,
    section,
    member,
    kind,
  })),
)

/** The values to choose from: without the cabin strategies that the game would refuse when it loads the file. */
export const offered = (
  name: FieldName,
  of: readonly string[],
  reported: string | undefined,
): readonly string[] =>
  name === 'server.cabinStrategy' && reported !== undefined
    ? of.filter(
        (to) =>
          !(to === 'None' && reported !== 'None') && !(to === 'CabinStack' && reported === 'FarmhouseStack'),
      )
    : of

/** The value as the form has it; undefined where the server does not report it. */
export function reportedValue(settings: Settings, { section, member }: Field): string | undefined {
  const value = Object.entries(settings[section]).find(([name]) => name === member)?.[1]
  return value === undefined ? undefined : String(value)
}

/** The typed values after a change of one. @param reported its value as the server reports it */
export function withTyped(
  typed: ReadonlyMap<FieldName, string>,
  { name }: Field,
  value: string | undefined,
  reported: string | undefined,
): ReadonlyMap<FieldName, string> {
  const next = new Map(typed)
  // A value that is set back to the original is not a change.
  if (value === undefined || value === reported) next.delete(name)
  else next.set(name, value)
  return next
}

/** The typed value, as the API takes it. */
function requested({ kind }: Field, typed: string): unknown {
  switch (kind.is) {
    case 'flag':
      return typed === 'true'
    case 'number':
      return Number(typed)
    case 'ids':
      return typed.split(/[\s,;]+/).filter((id) => id !== '')
    case 'farm type':
      return /^[0-7]$/.test(typed) ? Number(typed) : typed.trim()
    default:
      return typed
  }
}

/** The change for the typed values, by the fields' names. Only its members are written. */
export function patchOf(typed: ReadonlyMap<FieldName, string>): SettingsPatch {
  const sectionOf = (wanted: Section) =>
    Object.fromEntries(
      allFields.flatMap((field) => {
        const text = typed.get(field.name)
        return field.section !== wanted || text === undefined ? [] : [[field.member, requested(field, text)]]
      }),
    )
  return { server: sectionOf('server'), game: sectionOf('game') }
}

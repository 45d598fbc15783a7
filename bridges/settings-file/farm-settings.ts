/** Reads the members of JunimoServer's `server-settings.json` that the simulated farm uses. */
import * as v from 'valibot'
import { parseSettings } from './settings-text.ts'

const strategies = ['CabinStack', 'FarmhouseStack', 'None'] as const
const behaviors = ['KeepExisting', 'MoveToStack'] as const
export type CabinStrategy = (typeof strategies)[number]

const monsters = ['auto', 'true', 'false'] as const

/** One of the names in any case, or its index, as the game's JSON reader accepts; a boolean is read as its name. */
const named = <const Names extends readonly string[]>(names: Names) =>
  v.pipe(
    v.union([v.string(), v.number(), v.boolean()], `must be one of ${names.join(', ')}`),
    v.rawTransform(({ dataset, addIssue, NEVER }): Names[number] => {
      const { value } = dataset
      const found =
        typeof value === 'number'
          ? names[value]
          : names.find((name) => name.toLowerCase() === String(value).toLowerCase())
      if (found !== undefined) return found
      addIssue({ message: `must be one of ${names.join(', ')}` })
      return NEVER
    }),
  )

const integer = (minimum: number) =>
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(minimum, `must be ${minimum} or more`),
  )
const flag = v.boolean('must be true or false')
const text = v.string('must be a text')

/** A JSON object (not an array); its keys are converted to lower case. */
const members = v.pipe(
  v.custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  ),
  v.transform(lowerCased),
)

/** The keys of one section, in lower case, because the keys of the file match in any case. */
const section = <const Keys extends v.ObjectEntries>(keys: Keys) =>
  v.optional(v.pipe(members, v.object(keys)), {})

const file = v.pipe(
  members,
  v.object({
    game: section({
      farmname: v.optional(text, 'Junimo'),
      farmtype: v.optional(v.union([integer(0), text], 'must be a number or a text'), 0),
      profitmargin: v.optional(v.pipe(v.number('must be a number'), v.minValue(0, 'must be 0 or more')), 1),
      startingcabins: v.optional(integer(0), 1),
      spawnmonstersatnight: v.optional(named(monsters), 'auto'),
    }),
    server: section({
      maxplayers: v.optional(integer(1), 10),
      cabinstrategy: v.optional(named(strategies), 'CabinStack'),
      separatewallets: v.optional(flag, false),
      existingcabinbehavior: v.optional(named(behaviors), 'KeepExisting'),
      allowcabinrelocation: v.optional(flag),
      allowipconnections: v.optional(flag, false),
      enforcefarmhandownership: v.optional(flag, true),
      adminsteamids: v.optional(v.array(text, 'must be a list of texts'), []),
    }),
  }),
)

export type FarmSettings = ReturnType<typeof settingsFromFile>

/**
 * Reads the text of a settings file. Keys match in any case, unknown ones are ignored, missing ones have the
 * game's defaults. A wrong value is an error (the game would use a default), and the file is never written.
 * @throws {Error} naming every wrong key and the reason
 */
export function settingsFromFile(content: string) {
  const read = v.safeParse(file, parseSettings(content))
  if (!read.success) throw new Error(`server-settings.json: ${read.issues.map(complaint).join('; ')}`)
  const { game, server } = read.output
  return {
    /** The answer of `/settings`. */
    shown: {
      game: {
        farmName: game.farmname,
        farmType: game.farmtype,
        profitMargin: game.profitmargin,
        startingCabins: game.startingcabins,
        spawnMonstersAtNight: game.spawnmonstersatnight,
      },
      server: {
        maxPlayers: server.maxplayers,
        cabinStrategy: server.cabinstrategy,
        separateWallets: server.separatewallets,
        existingCabinBehavior: server.existingcabinbehavior,
        ...(server.allowcabinrelocation !== undefined && {
          allowCabinRelocation: server.allowcabinrelocation,
        }),
      },
    },
    allowIpConnections: server.allowipconnections,
    /** false: any account may play any farmhand. */
    enforceFarmhandOwnership: server.enforcefarmhandownership,
    /** Account ids that become admins when they join. */
    adminIds: server.adminsteamids,
  }
}

/** A cabin strategy by its name in any case; an unknown name means the first strategy, as in the game. */
export const cabinStrategyNamed = (name: string): CabinStrategy =>
  strategies.find((strategy) => strategy.toLowerCase() === name.toLowerCase()) ?? strategies[0]

/** The settings of an empty file. */
export const defaultSettings = settingsFromFile('{}')

function lowerCased(object: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key.toLowerCase(), value]))
}

const complaint = (issue: v.BaseIssue<unknown>): string =>
  `${v.getDotPath(issue) ?? 'the file'} ${issue.message}`

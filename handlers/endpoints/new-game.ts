import * as v from 'valibot'
import { described, docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { abilities } from '../game-abilities.ts'
import { presentMoment } from '../game-moment.ts'
import { newGame as record } from '../game-records.ts'
import { requireNoPlayers } from '../no-players.ts'
import { Problem } from '../problem.ts'

const members = new Map(Object.keys(record.entries).map((name) => [name.toLowerCase(), name]))

/**
 * Reads the options from a body. Names match in any case, unknown members are ignored, null means missing, and an
 * empty body has no options. (JunimoServer creates a world of default settings when the body is malformed.)
 * @throws {Problem} invalid_parameter for a malformed body or member
 */
function readOptions(value: unknown, isEmpty: boolean): v.InferOutput<typeof record> {
  if (isEmpty) return {}
  if (value === undefined)
    throw new Problem('invalid_parameter', 'The body is not valid JSON; no new game was created')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem('invalid_parameter', 'The body must be a JSON object; no new game was created')
  const named = Object.entries(value).flatMap(([name, member]) => {
    const known = members.get(name.toLowerCase())
    return known === undefined || member === null ? [] : [[known, member] as const]
  })
  const repeated = named.find(([name], at) => named.findIndex(([other]) => other === name) !== at)?.[0]
  if (repeated !== undefined)
    throw new Problem('invalid_parameter', `Member '${repeated}' is given more than once`, {
      parameter: repeated,
    })
  const options = v.safeParse(record, Object.fromEntries(named))
  if (options.success) return options.output
  const [{ message, path }] = options.issues
  const parameter = String(path?.[0]?.key)
  const wrong = message.startsWith('must ') ? message : 'is not valid'
  throw new Problem('invalid_parameter', `Member '${parameter}' ${wrong}; no new game was created`, {
    parameter,
  })
}

const warningAfter = (farm: string) =>
  `${farm} was loaded: its farmhands may appear in the new farm. POST /saves/new starts one without them.`

export const newGame = endpoint('POST /newgame', {
  at: 'farm',
  scope: 'admin',
  tag: 'Server',
  operationId: 'createNewGame',
  summary: docs(
    'Replaces the world with a new one while no one is connected; omitted members come from the settings',
  ),
  body: {
    schema: record,
    read: readOptions,
    example: {
      farmType: 0,
      farmName: 'Clover',
      startingCabins: 1,
      cabinStrategy: 'CabinStack',
      maxPlayers: 10,
    },
    maxBytes: 16 * 1024,
  },
  result: v.object({
    success: v.literal(true),
    message: v.string(),
    warning: described(docs('A save was loaded before.'), v.exactOptional(v.string())),
  }),
  example: docs({ success: true, message: 'New game created with farm type 0' }),
  budget: abilities.newGame.budget,
  problems: ['players_connected', 'server_not_ready', 'unsupported'],
  async handle({ body: options }, { game }) {
    await requireNoPlayers(game)
    const { moment, status } = await presentMoment(game)
    const hadSave = !['offline', 'starting', 'no_farm'].includes(moment) && status.farmName !== ''
    const message = await game.newGame(options)
    return { success: true as const, message, ...(hadSave && { warning: warningAfter(status.farmName) }) }
  },
})

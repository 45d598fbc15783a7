import * as v from 'valibot'
import { checkForeign } from '../../../lib/foreign/read.ts'
import { invalidBody } from './problems.ts'
import type { Route } from './route.ts'

// No message repeats text of the body: the game server retries when an answer contains `500`.
const idRule = 'must be a whole number from 1 to 18446744073709551615'
const membersRule = 'must be a whole number, 1 or more'
const metadataRule = 'must be an object of texts'

/** A 64-bit id: a JSON number with all digits, or a string of digits. */
const id = v.pipe(
  v.union(
    [
      v.bigint(),
      v.pipe(v.number(), v.safeInteger(idRule)),
      v.pipe(v.string(), v.regex(/^[0-9]{1,20}$/, idRule)),
    ],
    idRule,
  ),
  v.transform((value) => BigInt(value)),
  v.minValue(1n, idRule),
  v.maxValue(2n ** 64n - 1n, idRule),
)

const members = v.pipe(
  v.number(membersRule),
  v.integer(membersRule),
  v.minValue(1, membersRule),
  // Steam accepts at most 250 members. A farm with more players still gets a lobby.
  v.transform((count) => Math.min(count, 250)),
)

/** A text of at most `maxLength` characters. */
function text(maxLength: number) {
  const rule = `must be a text of at most ${maxLength} characters`
  return v.pipe(v.string(rule), v.maxLength(maxLength, rule))
}

const createBody = v.object({
  game_server_steam_id: id,
  protocol_version: text(256),
  max_members: v.optional(members, 16),
})

const setDataBody = v.object({
  lobby_id: id,
  metadata: v.nullish(v.record(text(256), v.nullable(text(8192)), metadataRule), {}),
})

const setPrivacyBody = v.object({ lobby_id: id, privacy: v.nullish(v.string('must be a text')) })

const both = (name: string) => [`/steam/lobby/${name}`, `/platform/lobby/${name}`]

/** Creates the lobby, or updates one that was created again after a lost session. */
export const createLobby: Route = {
  method: 'POST',
  paths: both('create'),
  summary: 'Creates the lobby of a game server',
  example: { lobby_id: '109775240917551369', app_id: 413150 },
  sent: { game_server_steam_id: '90071992547409921', protocol_version: '1.6.15', max_members: 16 },
  async handle({ body }, { lobby, appId }) {
    const request = read(createBody, body)
    const made = await lobby.create({
      gameServerId: request.game_server_steam_id,
      protocolVersion: request.protocol_version,
      maxMembers: request.max_members,
    })
    return { status: 200, body: { lobby_id: String(made), app_id: appId } }
  },
}

/** Merges metadata into the lobby's; a null value becomes an empty text. */
export const setLobbyData: Route = {
  method: 'POST',
  paths: both('set-data'),
  summary: 'Changes data of the lobby',
  example: { success: true },
  sent: { lobby_id: '109775240917551369', metadata: { farmName: 'Clover' } },
  async handle({ body }, { lobby }) {
    const { lobby_id, metadata } = read(setDataBody, body)
    const texts = Object.entries(metadata ?? {}).map(([key, value]) => [key, value ?? ''] as const)
    await lobby.setData(lobby_id, Object.fromEntries(texts))
    return { status: 200, body: { success: true } }
  },
}

/** Lobbies stay public: with the privacy that the game sends by default, friends only, no player could join. */
export const setLobbyPrivacy: Route = {
  method: 'POST',
  paths: both('set-privacy'),
  summary: 'Changes nothing: lobbies stay public',
  example: { success: true },
  sent: { lobby_id: '109775240917551369', privacy: 'public' },
  async handle({ body }, { lobby }) {
    await lobby.check(read(setPrivacyBody, body).lobby_id)
    return { status: 200, body: { success: true } }
  },
}

/** The id of the current lobby and whether the service is logged on. */
export const lobbyStatus: Route = {
  method: 'GET',
  paths: both('status'),
  summary: 'The current lobby, and whether the service is logged on',
  example: { lobby_id: '109775240917551369', is_logged_in: true },
  handle(_request, { lobby, platform }) {
    const current = lobby.current()
    const body = {
      lobby_id: current === undefined ? null : String(current),
      is_logged_in: platform.state().phase === 'logged_on',
    }
    return { status: 200, body }
  },
}

function read<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  const parsed = checkForeign(schema, body)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const [part] = issue.path ?? []
  if (part === undefined) throw invalidBody('body: must be an object')
  // The library has no message for a missing property. Only the first key of the path is named: a metadata key may be
  // any text.
  const sentence = issue.expected === `"${part.key}"` ? 'is missing' : issue.message
  throw invalidBody(`${part.key}: ${sentence}`)
}

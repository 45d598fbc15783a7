/**
 * Requests that farmgate answers differently from JunimoServer, each with the reason; all others have the same answers.
 */
import { expect } from 'vitest'
import { idTexts } from '../../id-texts.ts'
import type { Answer, Case } from './asking.ts'
import { abby, guarded, online, twins } from './worlds.ts'

export interface Difference extends Case {
  /** The reason for the difference. */
  readonly why: string
  readonly game: Partial<Answer>
  readonly farmgate: Partial<Answer>
}

const notAllowed = { status: 405, body: expect.objectContaining({ code: 'method_not_allowed' }) }
const oneShape = 'one error body everywhere'
const realStatus = 'a refusal has its own status and code'
const refused = (status: number, code: string, words = '') => ({
  status,
  body: expect.objectContaining({ success: false, code, error: expect.stringContaining(words) }),
})
const as200 = (words: string) => ({
  status: 200,
  body: expect.objectContaining({ success: false, error: expect.stringContaining(words) }),
})
const invalid = (asked: string, words: string, why = realStatus): Difference => ({
  ask: asked,
  why,
  game: as200(words),
  farmgate: refused(400, 'invalid_parameter'),
})

/**
 * The game's answer with farmgate's additions: the text of each id, for programs whose numbers are doubles, and in
 * `/health`, the only answer with `isFrozen`, the state of its own records. The Steam code has both of its names.
 */
export function withAddedMembers<Value>(value: Value): unknown {
  if (Array.isArray(value)) return value.map(withAddedMembers)
  if (typeof value !== 'object' || value === null) return value
  const textOf = (id: unknown) => String(id).replace('int64 ', '')
  return Object.fromEntries(
    Object.entries(value).flatMap(([member, one]) => {
      const added = idTexts[member]
      const text = Array.isArray(one) ? one.map(textOf) : textOf(one)
      return [
        [member, withAddedMembers(one)],
        ...(added === undefined ? [] : [[added, text]]),
        ...(member === 'isFrozen' ? [['records', 'ok']] : []),
        ...(member === 'steamInviteCode' ? [['inviteCode', one]] : []),
        ...(/^New game/.test(String(one)) ? [['warning', expect.stringContaining('its farmhands')]] : []),
      ]
    }),
  )
}

export const otherAnswers: readonly Difference[] = [
  invalid('POST /time', "Missing 'value'"),
  invalid('POST /time?value=noon', "Invalid value 'noon'"),
  invalid('POST /time?value=2601', 'out of range'),
  invalid('POST /rendering', "Missing or invalid 'fps'"),
  invalid('POST /rendering?fps=-1', "Missing or invalid 'fps'"),
  invalid('POST /rendering?fps=1&fps=2', "Missing or invalid 'fps'"),
  invalid('POST /clock-speed', "Missing 'multiplier'"),
  invalid('POST /clock-speed?multiplier=0', 'greater than 0'),
  invalid('POST /roles/admin', "Missing 'name' or 'playerId'"),
  invalid('POST /roles/admin?name=Abby&playerId=1', 'not both'),
  invalid('DELETE /farmhands', "Missing 'name' or 'playerId'"),
  invalid('DELETE /farmhands?name=Abby&playerId=1', 'not both'),
  invalid('DELETE /farmhands?playerId=x', "Invalid 'playerId'"),
  { ...invalid('POST /auth/timeout?value=-1', "Missing or invalid 'value'"), world: guarded },
  ...['POST /clock-speed?multiplier=NaN', 'POST /time?value=1275', 'POST /rendering?fps=241'].map(
    (asked): Difference => ({
      ask: asked,
      why: 'what no game can do is refused',
      game: { status: 200, body: expect.objectContaining({ success: true }) },
      farmgate: refused(400, 'invalid_parameter'),
    }),
  ),
  ...['GET /wait/status?isReady=1', 'GET /wait/players?since=soon'].map(
    (asked): Difference => ({
      ask: asked,
      why: 'a malformed parameter is 400, not ignored',
      game: { status: 200 },
      farmgate: refused(400, 'invalid_parameter'),
    }),
  ),
  {
    ask: 'DELETE /farmhands?name=Penny',
    why: realStatus,
    game: as200("Farmhand 'Penny' not found"),
    farmgate: refused(404, 'farmhand_not_found', "Farmhand 'Penny' not found"),
  },
  {
    ask: 'DELETE /farmhands?name=Abby',
    world: online,
    why: realStatus,
    game: as200('currently online'),
    farmgate: refused(409, 'farmhand_online', "Cannot delete farmhand 'Abby' - currently online"),
  },
  {
    ask: `DELETE /farmhands?playerId=${abby}`,
    world: (world) => {
      world.isSaving = true
    },
    why: realStatus,
    game: as200('save is in progress'),
    farmgate: refused(409, 'save_in_progress', 'save is in progress'),
  },
  {
    ask: 'POST /roles/admin?name=Penny',
    why: realStatus,
    game: as200("Player 'Penny' not found"),
    farmgate: refused(404, 'player_not_found', "Player 'Penny' not found"),
  },
  {
    ask: 'POST /roles/admin?name=ABBY',
    world: twins,
    why: 'several players share the name',
    game: { status: 200, body: expect.objectContaining({ success: true }) },
    farmgate: refused(409, 'ambiguous_name'),
  },
  {
    ask: 'POST /time?value=1200',
    world: (world) => {
      world.isLoaded = false
    },
    why: realStatus,
    game: as200('Server not ready'),
    farmgate: refused(503, 'server_not_ready', 'erver not ready'),
  },
  {
    ask: 'POST /auth/timeout?value=60',
    why: 'this game server cannot do it',
    game: as200('Password protection is not enabled'),
    farmgate: refused(501, 'unsupported', 'Password protection is not enabled'),
  },
  ...['POST /newgame', 'POST /reload'].map(
    (asked): Difference => ({
      ask: asked,
      world: online,
      why: oneShape,
      game: { status: 409, body: { success: false, error: expect.stringContaining('1 client(s)') } },
      farmgate: refused(409, 'players_connected', '1 player(s)'),
    }),
  ),
  {
    ask: 'POST /newgame',
    body: '{"farmName":',
    why: 'a malformed body is refused instead of replacing the world',
    game: { status: 200, body: expect.objectContaining({ success: true }) },
    farmgate: refused(400, 'invalid_parameter'),
  },
  {
    ask: 'GET /status',
    authorization: '',
    why: 'the status is public, without codes',
    game: { status: 401 },
    farmgate: { status: 200, body: expect.not.objectContaining({ steamInviteCode: 'SABC123' }) },
  },
  ...['GET /stats', 'GET /diagnostics/state', 'GET /wait/health'].map(
    (asked): Difference => ({
      ask: asked,
      authorization: '',
      why: 'all of them need the key here',
      game: { status: 200 },
      farmgate: refused(401, 'unauthorized'),
    }),
  ),
  {
    ask: 'GET /players',
    authorization: 'Bearer wrong',
    why: oneShape,
    game: { status: 401, body: { error: expect.stringContaining('Unauthorized') } },
    farmgate: refused(401, 'unauthorized'),
  },
  {
    ask: 'GET /nowhere?x=1',
    why: oneShape,
    game: { status: 404, body: { error: 'Not found', path: '/nowhere' } },
    farmgate: {
      status: 404,
      body: {
        success: false,
        error: expect.stringMatching(/^Not found/),
        code: 'not_found',
        path: '/nowhere',
      },
    },
  },
  { ask: 'POST /players', why: '405 with Allow', game: { status: 404 }, farmgate: notAllowed },
  { ask: 'PUT /players', why: oneShape, game: { status: 405 }, farmgate: notAllowed },
  {
    ask: 'GET /players/',
    why: 'one trailing slash is tolerated',
    game: { status: 404 },
    farmgate: { status: 200 },
  },
  {
    ask: 'HEAD /health',
    why: 'HEAD is GET without body',
    game: { status: 405 },
    farmgate: { status: 200, body: '' },
  },
  {
    ask: 'POST /time?value=1200',
    isUnsized: true,
    why: 'no Content-Length is fine',
    game: { status: 411, body: '<h1>Length Required</h1>' },
    farmgate: { status: 200, body: { success: true, timeOfDay: 1200, message: 'Time set to 1200' } },
  },
  {
    ask: 'GET /diagnostics/handler-timing',
    why: 'not taken over: undocumented, and of one handler only',
    game: { status: 200 },
    farmgate: refused(404, 'not_found'),
  },
]

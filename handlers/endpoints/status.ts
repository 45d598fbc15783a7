import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { status as record, type Status } from '../game-records.ts'
import { offlineProblem, presentStatus } from '../offline-status.ts'

/** Statuses without invite codes, one object for each status, so that its JSON text can be cached by identity. */
const withoutCodesOf = new WeakMap<Status, Status>()

function withoutCodes(status: Status): Status {
  let shown = withoutCodesOf.get(status)
  if (shown === undefined) {
    const { inviteCode: _any, steamInviteCode: _steam, gogInviteCode: _gog, ...rest } = status
    shown = rest
    withoutCodesOf.set(status, shown)
  }
  return shown
}

const example: Status = {
  playerCount: 2,
  maxPlayers: 10,
  inviteCode: 'SABC123',
  steamInviteCode: 'SABC123',
  gogInviteCode: 'GABC123',
  serverVersion: '1.4.1',
  gameVersion: '1.6.15',
  isOnline: true,
  isReady: true,
  dayTransitionComplete: true,
  lastUpdated: '2026-11-21T12:00:00.000Z',
  farmName: 'Junimo',
  day: 5,
  season: 'spring',
  year: 1,
  timeOfDay: 900,
  farmTypeKey: 'Standard',
  isPaused: false,
  version: 1234,
}

export const status = endpoint('GET /status', {
  access: 'public',
  tag: 'Server',
  operationId: 'getStatus',
  summary: docs(
    'The farm at a glance; invite codes only with a key. While the game is offline, 503 with its last values',
  ),
  anyOrigin: true,
  result: record,
  example,
  problems: ['game_unavailable'],
  problemMembers: [offlineProblem(example)],
  async handle({ mayRead, publicInviteCodes }, { game }) {
    const current = await presentStatus(game)
    return mayRead || publicInviteCodes ? current : withoutCodes(current)
  },
})

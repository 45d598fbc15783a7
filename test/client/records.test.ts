/** The client's plain types are those of the endpoints. Compared by the compiler: `npm run check` fails on a difference. */
import type * as v from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import type { CallOptions, Calls } from '../../client/calls.ts'
import type { ErrorCode } from '../../client/index.ts'
import type { ChatLine, FarmEvent, Gap, Snapshots, Topic } from '../../client/messages.ts'
import { routes } from '../../client/routes.ts'
import type * as sent from '../../handlers/chat/messages.ts'
import type { Endpoint } from '../../handlers/endpoint.ts'
import type { announce } from '../../handlers/endpoints/announce.ts'
import type { audit } from '../../handlers/endpoints/audit.ts'
import type { backups } from '../../handlers/endpoints/backups.ts'
import type { cabins } from '../../handlers/endpoints/cabins.ts'
import type { changeSettings } from '../../handlers/endpoints/change-settings.ts'
import type { createKey } from '../../handlers/endpoints/create-key.ts'
import type { createWebhook } from '../../handlers/endpoints/create-webhook.ts'
import type { deleteBackup } from '../../handlers/endpoints/delete-backup.ts'
import type { deleteFarmhand } from '../../handlers/endpoints/delete-farmhand.ts'
import type { deleteWebhook } from '../../handlers/endpoints/delete-webhook.ts'
import type { diagnosticsState } from '../../handlers/endpoints/diagnostics-state.ts'
import type { discordServers } from '../../handlers/endpoints/discord-servers.ts'
import type { farmhands } from '../../handlers/endpoints/farmhands.ts'
import type { grantAdmin } from '../../handlers/endpoints/grant-admin.ts'
import type { health } from '../../handlers/endpoints/health.ts'
import type { historyChat } from '../../handlers/endpoints/history-chat.ts'
import type { historyDays } from '../../handlers/endpoints/history-days.ts'
import type { historyPlayers } from '../../handlers/endpoints/history-players.ts'
import type { historySamples } from '../../handlers/endpoints/history-samples.ts'
import type { historySessions } from '../../handlers/endpoints/history-sessions.ts'
import type { inviteCode } from '../../handlers/endpoints/invite-code.ts'
import type { keys } from '../../handlers/endpoints/keys.ts'
import type { makeBackup } from '../../handlers/endpoints/make-backup.ts'
import type { makeDiscordCode } from '../../handlers/endpoints/make-discord-code.ts'
import type { newGame } from '../../handlers/endpoints/new-game.ts'
import type { ownKey } from '../../handlers/endpoints/own-key.ts'
import type { passwordProtection } from '../../handlers/endpoints/password-protection.ts'
import type { players } from '../../handlers/endpoints/players.ts'
import type { ready } from '../../handlers/endpoints/ready.ts'
import type { rebindFarmhand } from '../../handlers/endpoints/rebind-farmhand.ts'
import type { reload } from '../../handlers/endpoints/reload.ts'
import type { rendering } from '../../handlers/endpoints/rendering.ts'
import type { replayDelivery } from '../../handlers/endpoints/replay-delivery.ts'
import type { restoreBackup } from '../../handlers/endpoints/restore-backup.ts'
import type { revokeKey } from '../../handlers/endpoints/revoke-key.ts'
import type { screenshot } from '../../handlers/endpoints/screenshot.ts'
import type { setClockSpeed } from '../../handlers/endpoints/set-clock-speed.ts'
import type { setDiscordRoles } from '../../handlers/endpoints/set-discord-roles.ts'
import type { setLoginTimeout } from '../../handlers/endpoints/set-login-timeout.ts'
import type { setRendering } from '../../handlers/endpoints/set-rendering.ts'
import type { setTime } from '../../handlers/endpoints/set-time.ts'
import type { settings } from '../../handlers/endpoints/settings.ts'
import type { stats } from '../../handlers/endpoints/stats.ts'
import type { status } from '../../handlers/endpoints/status.ts'
import type { testWebhook } from '../../handlers/endpoints/test-webhook.ts'
import type { unbindDiscordServer } from '../../handlers/endpoints/unbind-discord-server.ts'
import type { waitFarmhands } from '../../handlers/endpoints/wait-farmhands.ts'
import type { waitHealth } from '../../handlers/endpoints/wait-health.ts'
import type { waitPlayers } from '../../handlers/endpoints/wait-players.ts'
import type { waitStatus } from '../../handlers/endpoints/wait-status.ts'
import type { webhookDeliveries } from '../../handlers/endpoints/webhook-deliveries.ts'
import type { webhooks } from '../../handlers/endpoints/webhooks.ts'
import type * as schemas from '../../handlers/game-records.ts'
import type { QueryOf } from '../../handlers/parameter.ts'
import type { ProblemCode } from '../../handlers/problem.ts'
import { recordEndpoints as endpoints } from '../record-endpoints.ts'

interface Described {
  health: typeof health
  ready: typeof ready
  status: typeof status
  players: typeof players
  inviteCode: typeof inviteCode
  farmhands: typeof farmhands
  deleteFarmhand: typeof deleteFarmhand
  rebindFarmhand: typeof rebindFarmhand
  settings: typeof settings
  changeSettings: typeof changeSettings
  cabins: typeof cabins
  rendering: typeof rendering
  setRendering: typeof setRendering
  setTime: typeof setTime
  grantAdmin: typeof grantAdmin
  announce: typeof announce
  stats: typeof stats
  screenshot: typeof screenshot
  setClockSpeed: typeof setClockSpeed
  passwordProtection: typeof passwordProtection
  setLoginTimeout: typeof setLoginTimeout
  createNewGame: typeof newGame
  reloadWorld: typeof reload
  diagnosticsState: typeof diagnosticsState
  audit: typeof audit
  historySessions: typeof historySessions
  historyPlayers: typeof historyPlayers
  historySamples: typeof historySamples
  historyDays: typeof historyDays
  historyChat: typeof historyChat
  keys: typeof keys
  ownKey: typeof ownKey
  createKey: typeof createKey
  revokeKey: typeof revokeKey
  backups: typeof backups
  makeBackup: typeof makeBackup
  restoreBackup: typeof restoreBackup
  deleteBackup: typeof deleteBackup
  webhooks: typeof webhooks
  createWebhook: typeof createWebhook
  deleteWebhook: typeof deleteWebhook
  testWebhook: typeof testWebhook
  webhookDeliveries: typeof webhookDeliveries
  replayDelivery: typeof replayDelivery
  makeDiscordCode: typeof makeDiscordCode
  discordServers: typeof discordServers
  setDiscordRoles: typeof setDiscordRoles
  unbindDiscordServer: typeof unbindDiscordServer
  waitForStatus: typeof waitStatus
  waitForPlayers: typeof waitPlayers
  waitForFarmhands: typeof waitFarmhands
  waitForHealth: typeof waitHealth
}

type Name = keyof Calls
type Nothing = Record<never, never>
type Answers = { [N in Name]: Awaited<ReturnType<Calls[N]>> }
type Results = {
  [N in Name]: Described[N] extends { readonly result: infer S extends v.GenericSchema }
    ? v.InferOutput<S>
    : never
}

type BodyOf<E> = E extends { readonly body?: { readonly schema: infer Schema extends v.GenericSchema } }
  ? Schema extends v.UndefinedSchema<undefined>
    ? never
    : v.InferInput<Schema>
  : never
/** What may be left out may be undefined too: the client leaves it out then. One object type in place of an intersection. */
type Takes<T> = { -readonly [K in keyof T]: Nothing extends Pick<T, K> ? T[K] | undefined : T[K] }
type Sent = {
  [N in Name]: Takes<
    [BodyOf<Described[N]>] extends [never] ? QueryOf<Described[N]['parameters']> : BodyOf<Described[N]>
  >
}
/** Calls whose parameters may each be left out, but not all of them. */
type NeedsOne = 'deleteFarmhand' | 'grantAdmin' | 'changeSettings'
/** Parameters of which all may be left out can be left out as a whole. */
type Given = {
  [N in Name]: keyof Sent[N] extends never
    ? Record<string, never> | undefined
    : Nothing extends Sent[N]
      ? N extends NeedsOne
        ? Sent[N]
        : Sent[N] | undefined
      : Sent[N]
}
type Taken = { [N in Name]: Flat<Parameters<Calls[N]>[0]> }
/** One object type in place of an intersection; every member is optional, or undefined, as it was. */
type Flat<T> = T extends object ? (string extends keyof T ? T : { [K in keyof T]: T[K] }) : T

type LineTold = Parameters<typeof sent.chatMessage>
type GapTold = Parameters<typeof sent.gapMessage>
type EventTold<E extends sent.LiveEvent> = E extends sent.LiveEvent
  ? Takes<
      Omit<E, 'type'> & {
        type: 'event'
        topic: (typeof sent.topicOfEvent)[E['type']]
        event: E['type']
        eventSeq: number
        timestamp: string
      }
    >
  : never

test('every endpoint is a call of the client, named by its operation id, with its method and path', () => {
  const named = Object.fromEntries(
    endpoints.map(({ operationId, method, path, body }: Endpoint) => [
      operationId.replace(/^get(.)/, (_get, first: string) => first.toLowerCase()),
      { method, path, ...(body !== undefined && { hasBody: true }) },
    ]),
  )
  expect(
    Object.fromEntries(Object.entries(routes).map(([name, { timeout: _, ...route }]) => [name, route])),
  ).toEqual(named)
})

test('the answer of each call has exactly the type of the result', () => {
  expectTypeOf<Answers>().toEqualTypeOf<Results>()
})

test('each call takes exactly what the endpoint reads, and what may be left out there may be left out here', () => {
  expectTypeOf<Taken>().toEqualTypeOf<Given>()
})

test('each call takes its options second', () => {
  expectTypeOf<{ [N in Name]: Parameters<Calls[N]>[1] }>().toEqualTypeOf<
    Record<Name, CallOptions | undefined>
  >()
})

test('topics, snapshots, events, chat lines and gaps have exactly the types of what the server sends', () => {
  expectTypeOf<Topic>().toEqualTypeOf<sent.Topic>()
  expectTypeOf<Snapshots>().toEqualTypeOf<{
    players: schemas.Players
    status: schemas.Status
    cabins: schemas.Cabins
  }>()
  expectTypeOf<Flat<FarmEvent>>().toEqualTypeOf<EventTold<sent.LiveEvent>>()
  expectTypeOf<Flat<ChatLine>>().toEqualTypeOf<Takes<LineTold[0] & { type: 'chat'; seq: LineTold[1] }>>()
  expectTypeOf<Gap>().toEqualTypeOf<{ from: GapTold[0]; to: GapTold[1] }>()
})

test('the codes of errors are those of the server, and the four of the client', () => {
  expectTypeOf<ErrorCode>().toEqualTypeOf<
    ProblemCode | sent.ChatErrorCode | 'unreachable' | 'timeout' | 'bad_answer' | 'closed'
  >()
})

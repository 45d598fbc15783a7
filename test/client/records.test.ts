/** The client's plain types are those of the endpoints. Compared by the compiler: `npm run check` fails on a difference. */
import type * as v from 'valibot'
import { expect, expectTypeOf, test } from 'vitest'
import type { Calls } from '../../client/calls.ts'
import { routes } from '../../client/calls.ts'
import type { ChatLine, FarmEvent, Snapshots } from '../../client/messages.ts'
import type * as records from '../../client/records.ts'
import type { LiveEvent } from '../../handlers/chat/messages.ts'
import type { Endpoint } from '../../handlers/endpoint.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import type { announce } from '../../handlers/endpoints/announce.ts'
import type { audit } from '../../handlers/endpoints/audit.ts'
import type { cabins } from '../../handlers/endpoints/cabins.ts'
import type { createKey } from '../../handlers/endpoints/create-key.ts'
import type { deleteFarmhand } from '../../handlers/endpoints/delete-farmhand.ts'
import type { diagnosticsState } from '../../handlers/endpoints/diagnostics-state.ts'
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
import type { newGame } from '../../handlers/endpoints/new-game.ts'
import type { passwordProtection } from '../../handlers/endpoints/password-protection.ts'
import type { players } from '../../handlers/endpoints/players.ts'
import type { ready } from '../../handlers/endpoints/ready.ts'
import type { rebindFarmhand } from '../../handlers/endpoints/rebind-farmhand.ts'
import type { reload } from '../../handlers/endpoints/reload.ts'
import type { rendering } from '../../handlers/endpoints/rendering.ts'
import type { revokeKey } from '../../handlers/endpoints/revoke-key.ts'
import type { screenshot } from '../../handlers/endpoints/screenshot.ts'
import type { setClockSpeed } from '../../handlers/endpoints/set-clock-speed.ts'
import type { setLoginTimeout } from '../../handlers/endpoints/set-login-timeout.ts'
import type { setRendering } from '../../handlers/endpoints/set-rendering.ts'
import type { setTime } from '../../handlers/endpoints/set-time.ts'
import type { settings } from '../../handlers/endpoints/settings.ts'
import type { stats } from '../../handlers/endpoints/stats.ts'
import type { status } from '../../handlers/endpoints/status.ts'
import type { waitFarmhands } from '../../handlers/endpoints/wait-farmhands.ts'
import type { waitHealth } from '../../handlers/endpoints/wait-health.ts'
import type { waitPlayers } from '../../handlers/endpoints/wait-players.ts'
import type { waitStatus } from '../../handlers/endpoints/wait-status.ts'
import type * as schemas from '../../handlers/game-records.ts'
import type { Parameters as EndpointParameters, QueryOf } from '../../handlers/parameter.ts'

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
  createKey: typeof createKey
  revokeKey: typeof revokeKey
  waitForStatus: typeof waitStatus
  waitForPlayers: typeof waitPlayers
  waitForFarmhands: typeof waitFarmhands
  waitForHealth: typeof waitHealth
}

/** One object type in place of an intersection; members may be undefined where they may be left out, and be changed. */
type Plain<T> = { -readonly [K in keyof T]: T[K] }
type Given<P extends EndpointParameters> = Plain<{
  [K in keyof QueryOf<P>]: QueryOf<P>[K]
}>
type ResultOf<E> = E extends { readonly result: v.GenericSchema<unknown, infer Result> } ? Result : never
type ParametersOf<Name extends keyof Calls> = Plain<NonNullable<Parameters<Calls[Name]>[0]>>
type AnswerOf<Name extends keyof Calls> = Awaited<ReturnType<Calls[Name]>>
/** `endpoint()` infers boolean for a literal `true`. */
type Widened<T> = { -readonly [K in keyof T]: T[K] extends true ? boolean : T[K] }
type Answers = { [Name in keyof Calls]: Widened<AnswerOf<Name>> }
type Results = { [Name in keyof Calls]: Widened<ResultOf<Described[Name]>> }
type WithParameters = Exclude<
  {
    [Name in keyof Calls]: keyof Described[Name]['parameters'] extends never ? never : Name
  }[keyof Calls],
  never
>
type Whole<T> = { [K in keyof T]-?: Exclude<T[K], undefined> }
type Taken = { [Name in WithParameters]: Whole<ParametersOf<Name>> }
type Queries = { [Name in WithParameters]: Whole<Given<Described[Name]['parameters']>> }

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

test('the answers of the calls have the types of the results', () => {
  expectTypeOf<Answers>().toEqualTypeOf<Results>()
})

test('the parameters of the calls have the types of the queries', () => {
  expectTypeOf<Taken>().toEqualTypeOf<Queries>()
  expectTypeOf<records.NewGame>().toEqualTypeOf<schemas.NewGame>()
})

test('snapshots and events have the types of the records', () => {
  expectTypeOf<Snapshots>().toEqualTypeOf<{
    players: schemas.Players
    status: schemas.Status
    cabins: schemas.Cabins
  }>()
  expectTypeOf<FarmEvent['event']>().toEqualTypeOf<LiveEvent['type']>()
  expectTypeOf<Pick<ChatLine, 'seq' | 'message'>>().toEqualTypeOf<{ seq: number; message: string }>()
})

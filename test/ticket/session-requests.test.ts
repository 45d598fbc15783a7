/** Requests to Steam, with a client that the test drives. */
import { afterEach, expect, test, vi } from 'vitest'
import { LogonError } from '../../ticket/errors.ts'
import { encodeMetadata } from '../../ticket/session/platform-requests.ts'
import { sessionRequests } from '../../ticket/session/session-requests.ts'
import { decode, EMsg, encode } from '../platform/protobufs.ts'
import { asClient, fakeClient } from './fake-client.ts'
import { fakePlatform, steamId, stillClock } from './fake-platform.ts'

afterEach(() => void vi.useRealTimers())

const settings = { maxMembers: 4, metadata: { name: 'Farm', 'a\0b': 'Müh\0le' } }
const lobbyId = 109_775_240_917_483_521n

interface Sent {
  readonly name: string
  readonly app: number | undefined
  readonly body: Record<string, unknown>
}

/** Requests of an open session, with a client that records what is sent. */
function requests() {
  const clock = stillClock()
  const platform = fakePlatform()
  const sent: Sent[] = []
  const steam = {
    ticket: () => Promise.resolve({ encryptedAppTicket: Buffer.from('ticket') }),
    /** The answer to a lobby message; undefined for none. */
    lobby: { eresult: 1 } as object | undefined,
    appIds: [] as number[],
  }
  const begin = () => {
    const client = fakeClient()
    client.createEncryptedAppTicket = (appId) => {
      steam.appIds.push(appId)
      return steam.ticket()
    }
    client._send = ({ msg, proto }, body, reply) => {
      const name =
        Object.keys(EMsg)
          .find((key) => EMsg[key] === msg)
          ?.replace('ClientMMS', '') ?? ''
      sent.push({ name, app: proto.routing_appid, body: decode(`CMsgClientMMS${name}`, body) })
      const answer = steam.lobby
      if (answer !== undefined) reply?.({ toBuffer: () => encode(`CMsgClientMMS${name}Response`, answer) })
    }
    const end = new AbortController()
    return { client, end, ended: end.signal }
  }
  const state = { current: begin() as ReturnType<typeof begin> | undefined }
  const port = sessionRequests({
    appId: 413150,
    clock,
    current: () => state.current && { client: asClient(state.current.client), ended: state.current.ended },
    states: platform,
  })
  return {
    ...port,
    sent,
    steam,
    clock,
    state,
    /** Steam ends the session. */
    lose() {
      const { end } = state.current ?? {}
      state.current = undefined
      platform.set({ phase: 'logging_on' })
      end?.abort(new LogonError('unreachable', 'gone'))
    },
    regain() {
      state.current = begin()
      platform.set({ phase: 'logged_on' })
    },
  }
}

test('a ticket is requested for the app, and comes with the account', async () => {
  const { requestTicket, steam } = requests()
  expect(await requestTicket()).toEqual({ bytes: Buffer.from('ticket'), steamId })
  expect(steam.appIds).toEqual([413150])
})

test('a lobby is made public, with its members and metadata, and its id is exact', async () => {
  const { createLobby, sent, steam } = requests()
  steam.lobby = { eresult: 1, steam_id_lobby: String(lobbyId) }
  expect(await createLobby(settings)).toBe(lobbyId)
  expect(sent).toEqual([
    {
      name: 'CreateLobby',
      app: 413150,
      body: {
        app_id: 413150,
        max_members: 4,
        lobby_type: 2,
        lobby_flags: 0,
        cell_id: 7,
        metadata: encodeMetadata(settings.metadata),
      },
    },
  ])
})

test('metadata is sent as binary KeyValues, without the NUL that ends a text there', () => {
  expect(encodeMetadata(settings.metadata).toString('latin1')).toBe(
    `\0\0${'\x01name\0Farm\0'}${Buffer.from('\x01ab\0Mühle\0').toString('latin1')}\x08\x08`,
  )
  expect(encodeMetadata({})).toEqual(Buffer.of(0, 0, 8, 8))
})

test('a change of a lobby sends all its settings, and leaving it names it', async () => {
  const { setLobby, leaveLobby, sent } = requests()
  await setLobby(lobbyId, settings)
  await leaveLobby(lobbyId)
  expect(sent).toEqual([
    {
      name: 'SetLobbyData',
      app: 413150,
      body: {
        app_id: 413150,
        steam_id_lobby: String(lobbyId),
        steam_id_member: '0',
        max_members: 4,
        lobby_type: 2,
        lobby_flags: 0,
        metadata: encodeMetadata(settings.metadata),
      },
    },
    { name: 'LeaveLobby', app: 413150, body: { app_id: 413150, steam_id_lobby: String(lobbyId) } },
  ])
})

test.each([
  [{ eresult: 42 }, 'refused', 'NoMatch'],
  [{ eresult: 84 }, 'rate_limited', 'RateLimitExceeded'],
  // Without a result the answer means `Fail`.
  [{}, 'refused', 'Fail'],
])('a lobby that Steam answers with %j is %s (%s)', async (answer, kind, result) => {
  const { createLobby, setLobby, leaveLobby, steam } = requests()
  steam.lobby = answer
  for (const request of [() => createLobby(settings), () => setLobby(1n, settings), () => leaveLobby(1n)])
    await expect(request()).rejects.toMatchObject({ name: 'PlatformError', kind, result })
})

test('a ticket that Steam refuses keeps its result, and one without an answer is a time-out', async () => {
  const { requestTicket, steam } = requests()
  for (const [error, kind, result] of [
    [Object.assign(new Error('AccessDenied'), { eresult: 15 }), 'refused', 'AccessDenied'],
    [Object.assign(new Error('slow down'), { eresult: 84 }), 'rate_limited', 'RateLimitExceeded'],
    [new Error('Request timed out'), 'timeout', undefined],
  ] as const) {
    steam.ticket = () => Promise.reject(error)
    await expect(requestTicket()).rejects.toMatchObject({ name: 'PlatformError', kind, result })
  }
})

test('a lobby message that Steam does not answer ends after 10 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { createLobby, steam } = requests()
  steam.lobby = undefined
  const failed = expect(createLobby(settings)).rejects.toMatchObject({ kind: 'timeout' })
  await vi.advanceTimersByTimeAsync(9999)
  expect(vi.getTimerCount()).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  await failed
})

test('without a session, or with a client that is not logged on, requests end at once as not logged in', async () => {
  const { state, sent, requestTicket, createLobby, setLobby, leaveLobby, steam } = requests()
  const all = [requestTicket, () => createLobby(settings), () => setLobby(1n, settings), () => leaveLobby(1n)]
  if (state.current) state.current.client.steamID = null
  for (const request of all) await expect(request()).rejects.toMatchObject({ kind: 'not_logged_in' })
  state.current = undefined
  for (const request of all) await expect(request()).rejects.toMatchObject({ kind: 'not_logged_in' })
  expect(sent).toEqual([])
  expect(steam.appIds).toEqual([])
})

test('a ticket and a lobby whose session ends are requested again in the next session', async () => {
  const { requestTicket, createLobby, lose, regain, steam, sent } = requests()
  steam.ticket = () => new Promise(() => undefined)
  steam.lobby = undefined
  const ticket = requestTicket()
  const lobby = createLobby(settings)
  lose()
  steam.ticket = () => Promise.resolve({ encryptedAppTicket: Buffer.from('second') })
  steam.lobby = { eresult: 1, steam_id_lobby: '8' }
  regain()
  expect((await ticket).bytes).toEqual(Buffer.from('second'))
  expect(await lobby).toBe(8n)
  expect(steam.appIds).toHaveLength(2)
  expect(sent).toHaveLength(2)
})

test('the next session is awaited for 15 s', async () => {
  const { requestTicket, lose, steam, clock } = requests()
  steam.ticket = () => new Promise(() => undefined)
  let ended = false
  const failed = expect(
    requestTicket().finally(() => {
      ended = true
    }),
  ).rejects.toMatchObject({ kind: 'not_logged_in' })
  lose()
  await clock.advance(0)
  await clock.advance(14_999)
  expect(ended).toBe(false)
  await clock.advance(1)
  await failed
})

test('a ticket whose second session ends too is not requested again', async () => {
  const { requestTicket, lose, regain, steam, clock } = requests()
  steam.ticket = () => new Promise(() => undefined)
  const failed = expect(requestTicket()).rejects.toMatchObject({ kind: 'not_logged_in' })
  lose()
  await clock.advance(0)
  regain()
  await clock.advance(0)
  lose()
  await failed
  expect(steam.appIds).toHaveLength(2)
})

test('a change of a lobby whose session ends is NoMatch, and leaving it is done: Steam has removed the lobby', async () => {
  const { setLobby, leaveLobby, lose, steam } = requests()
  steam.lobby = undefined
  const set = setLobby(1n, settings)
  const left = leaveLobby(1n)
  lose()
  await expect(set).rejects.toMatchObject({ kind: 'refused', result: 'NoMatch' })
  await left
})

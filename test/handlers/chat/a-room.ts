/** A chat room without sockets: clients record what they receive, and a plain object is the game. */
import { expect } from 'vitest'
import { farmChat } from '../../../handlers/chat/farm-chat.ts'
import { ChatHistory } from '../../../handlers/chat/history.ts'
import { fullAllowance } from '../../../handlers/chat/rates.ts'
import { ChatRoom, type RoomOptions } from '../../../handlers/chat/room.ts'
import {
  type ClientState,
  channelsOf,
  newClient,
  type RoomClient,
} from '../../../handlers/chat/room-client.ts'
import { sayLines } from '../../../handlers/chat/say.ts'
import type { GameBridge } from '../../../handlers/game-bridge.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { allows, apiKeyHolder, type KeyHolder } from '../../../handlers/key-holder.ts'

export const key = 'the right key'
const keyHolder = apiKeyHolder()
const startedAt = 1_795_262_400_000
/** The number of the first line, and of the first event. */
export const first = startedAt * 1000

interface Message {
  readonly type: string
  readonly payload?: Readonly<Record<string, unknown>>
}

export interface TestClient extends RoomClient {
  /** Received messages, oldest first. */
  readonly heard: readonly Message[]
  readonly closed: { readonly code: number; readonly reason: string } | undefined
}

function testClient(state: ClientState, connectedAt: number): TestClient & { heard: Message[] } {
  const heard: Message[] = []
  let closed: TestClient['closed']
  return {
    address: '192.0.2.1',
    isCommand: false,
    connectedAt,
    heard,
    state,
    get closed() {
      return closed
    },
    send(...texts) {
      for (const text of texts) heard.push(JSON.parse(text))
    },
    close(code, reason) {
      closed ??= { code, reason }
    },
  }
}

const counter = () => ({
  total: 0,
  inc(times = 1) {
    this.total += times
  },
})
const fails = () => expect.fail('the game was not to be asked this')

/** @param given options that differ from the default room */
export function aRoom(
  given: Partial<Omit<RoomOptions, 'game'>> &
    Partial<Omit<RoomOptions['game'], 'health'> & Pick<GameBridge, 'sendChat'>> = {},
  history = new ChatHistory(first),
) {
  const clock = { now: startedAt }
  /** When the game went offline; undefined while it is online. */
  const health: { awaySince?: number; chatLostAt?: number; snapshotAt?: number } = { snapshotAt: startedAt }
  const refused: (readonly [code: string, lines: number])[] = []
  const counts = { linesRelayed: counter(), linesSaid: counter() }
  const game = {
    health: () => ({ gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0, ...health }),
    players: fails,
    status: fails,
    cabins: fails,
    sendChat: fails,
    ...given,
  }
  let emit = (_event: GameEvent) => {}
  const subscribe = (listener: (event: GameEvent) => void) => {
    emit = listener
    return () => {}
  }
  const chat = farmChat({ subscribe }, history)
  const room: ChatRoom<TestClient> = new ChatRoom<TestClient>({
    game,
    lines: history,
    keyRequired: true,
    maxPerKey: 500,
    verify: (token) => (token === key ? keyHolder : 'wrong'),
    current: (holder) => holder,
    publish(channel, text) {
      for (const client of room.clients) if (channelsOf(client.state).includes(channel)) client.send(text)
    },
    async say(message) {
      return sayLines(game, message, () => {
        const now = (given.current ?? ((holder) => holder))(message.holder)
        return now !== undefined && allows(now, 'chat')
      })
    },
    refused: (_client, code, lines) => void refused.push([code, lines]),
    counts,
    pause: () => settled(),
    now: () => clock.now,
    timestamp: () => new Date(clock.now).toISOString(),
    ...given,
  })
  chat.hear((event) => room.heard(event))
  return {
    room,
    clock,
    counts,
    health,
    refused,
    /** A client connects. @param session whose cookie it sends */
    enter(session?: KeyHolder): TestClient {
      const client = testClient(newClient, clock.now)
      room.enter(client, session)
      return client
    },
    /** A client connects and authenticates. @param payload members in addition to the token */
    authenticated(payload: object = {}): TestClient {
      const client = testClient(newClient, clock.now)
      room.enter(client)
      send(room, client, { type: 'auth', payload: { token: key, ...payload } })
      return client
    },
    /** A client whose stored state outlived the room. */
    resumed(state: ClientState): TestClient {
      const client = testClient(state, startedAt)
      room.resume([client])
      return client
    },
    send: (client: TestClient, message: unknown) => send(room, client, message),
    /** Numbers are left out, as by a farm whose edge has shown them. */
    skipTo: chat.skipTo,
    /** farmgate, or its connection to the game's chat, was down from then to then. */
    missed: chat.missed,
    /** A player writes a line. */
    line: (message: string) =>
      emit({ type: 'chat', playerName: 'Abby', message, timestamp: '2026-11-21T12:00:00.000Z' }),
    /** The clock of the game advances. */
    status: (timeOfDay: number, isOnline = true) =>
      room.heard({ type: 'status_changed', status: { ...neverSeen, isOnline, timeOfDay } }),
  }
}

const send = (room: ChatRoom<TestClient>, client: TestClient, message: unknown) =>
  room.heardText(client, JSON.stringify(message))

export const types = ({ heard }: TestClient) => heard.map(({ type }) => type)
export const payloads = ({ heard }: TestClient, type: string) =>
  heard.filter((message) => message.type === type).map(({ payload }) => payload ?? {})

/** The stored state of an authenticated client. */
export const open: ClientState['session'] = {
  phase: 'open',
  stays: false,
  allowance: fullAllowance,
  holder: keyHolder,
}

/** Lets every promise settle that can. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

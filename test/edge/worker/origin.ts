/** The end of a link at the farm, and clients of `/ws`: raw WebSockets inside workerd. */
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env, exports } from 'cloudflare:workers'
import { expect, vi } from 'vitest'
import { eventually } from '../../wait.ts'

/** Keys of the tests' Worker (vitest.config.ts). */
export const apiKey = 'YXBpIGtleSB0aGF0IGlzIDMyIGJ5dGVzIGxvbmc='
export const linkKey = 'bGluayBrZXkgdGhhdCBpcyAzMiBieXRlcyBsb24='

export const farm = () => env.FARM.getByName('default')

/** Runs the alarm of the object that many milliseconds later. @returns whether it had one */
export async function alarmAfter(milliseconds: number): Promise<boolean> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
  try {
    return await runDurableObjectAlarm(farm())
  } finally {
    vi.useRealTimers()
  }
}

export interface Peer {
  readonly ws: WebSocket
  /** Every received text, parsed, oldest first. */
  readonly heard: readonly Readonly<Record<string, unknown>>[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  /** How many it has received, those included that tests do not see. */
  frames(): number
  send(frame: unknown): void
  /** The next of that type that was not taken yet. */
  take(type: string): Promise<Readonly<Record<string, unknown>>>
}

/** Calls that the edge makes on its own, and the second line of the answer to each; tests do not see them. */
const recorded: ReadonlyMap<string, string> = new Map([
  ['recordWrite', ''],
  ['usedKey', ''],
])

async function dial(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Peer> {
  const response = await exports.default.fetch(`https://edge.example${path}`, {
    headers: { Upgrade: 'websocket', ...headers },
  })
  const ws = response.webSocket
  if (ws === null) throw new Error(`${path} answered ${response.status}`)
  const heard: Readonly<Record<string, unknown>>[] = []
  let taken = 0
  let frames = 0
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.addEventListener('close', ({ code, reason }: CloseEvent) => resolve({ code, reason }))
  })
  ws.addEventListener('message', ({ data }: MessageEvent) => {
    frames += 1
    const [head = ''] = String(data).split('\n')
    const frame = JSON.parse(head)
    const result = frame.type === 'call' ? recorded.get(frame.method) : undefined
    if (result === undefined) heard.push(frame)
    else ws.send(`${JSON.stringify({ type: 'answer', id: frame.id })}${result}`)
  })
  ws.accept()
  return {
    ws,
    heard,
    closed,
    frames: () => frames,
    send: (frame) => ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    take: (type) =>
      eventually(() => {
        const at = heard.findIndex((frame, index) => index >= taken && frame['type'] === type)
        const frame = heard[at]
        if (frame === undefined) throw new Error(`no ${type} among ${JSON.stringify(heard.slice(taken))}`)
        taken = at + 1
        return frame
      }, 5000),
  }
}

export const openClient = () => dial('/ws')

export async function openAuthenticated(payload: object = {}): Promise<Peer> {
  const client = await openClient()
  client.send({ type: 'auth', payload: { token: apiKey, ...payload } })
  await client.take('auth_success')
  return client
}

/** A status as a farm sends it. */
export const status = {
  playerCount: 1,
  maxPlayers: 10,
  serverVersion: 'simulated-1.0.0',
  gameVersion: '1.6.15',
  isOnline: true,
  isReady: true,
  dayTransitionComplete: true,
  lastUpdated: '2026-11-21T12:00:00.000Z',
  farmName: 'Clover',
  day: 5,
  season: 'spring',
  year: 1,
  timeOfDay: 900,
  farmTypeKey: 'Standard',
  isPaused: false,
  version: 7,
} as const
export const health = { gameAvailable: true, isFrozen: false, tickCount: 1, pace: 60, records: 'ok' }

/**
 * Opens a link as a correct farm does. @param run names the process of the farm @param more further members of its
 * hello
 */
export async function openOrigin(
  run: string,
  more: {
    readonly version?: number
    readonly keepsChat?: false
    readonly numbers?: { readonly from: number; readonly next: number }
  } = {},
): Promise<Peer> {
  const origin = await dial('/link', { Authorization: `Bearer ${linkKey}` })
  origin.send({ type: 'hello', version: 1, run, status, health, numbers: { from: 1, next: 1 }, ...more })
  await origin.take('welcome')
  return origin
}

export const line = (n: number, message: string) => ({
  type: 'line',
  n,
  playerName: 'Abby',
  message,
  timestamp: '2026-11-21T12:00:00.000Z',
})

/** GET with the key. */
export const get = (path: string, key = apiKey) =>
  exports.default.fetch(`https://edge.example${path}`, { headers: { Authorization: `Bearer ${key}` } })

/** A write with the key. @param json of an endpoint that has a body */
export const write = (method: string, path: string, json?: string) =>
  exports.default.fetch(`https://edge.example${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(json !== undefined && { body: json }),
  })

export const setTime = () => write('POST', '/time?value=1200')

/** Expects the answer to a write with an unknown outcome: 504 without retry. */
export async function expectUnknown(answer: Response): Promise<void> {
  expect([answer.status, await answer.json()]).toEqual([
    504,
    {
      success: false,
      code: 'game_timeout',
      error: 'The game server did not answer; whether the change was made is unknown',
    },
  ])
  expect(answer.headers.has('retry-after')).toBe(false)
}

export const messages = (peer: Peer) =>
  peer.heard
    .filter(({ type }) => type === 'chat')
    .map(({ payload }) => {
      expect(payload).toBeTypeOf('object')
      return payload as { readonly message: string; readonly seq: number }
    })

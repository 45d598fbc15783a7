/** Sends the same request to the game and to farmgate, each with its own world in the same state. */
import { request as send } from 'node:http'
import { afterAll, expect, onTestFinished } from 'vitest'
import { milliseconds } from '../../../bridges/upstream/answers.ts'
import { parseJson } from '../../../lib/json.ts'
import type { World } from '../../game-server/world.ts'
import { eventually } from '../../wait.ts'
import { startPair } from './pair.ts'
import { abby, zoe } from './worlds.ts'

export const key = 'the key that both of them share'

export interface Case {
  /** For example `POST /time?value=1200`. */
  readonly ask: string
  readonly world?: (world: World) => void
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Without it the default: the right key. */
  readonly authorization?: string
  /** No `Content-Length`, as curl sends it. */
  readonly isUnsized?: true
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Members whose values differ in every answer, of the game and of farmgate. */
const volatile = new Set(['timestamp', 'tickCount', 'lastTickMs', 'uptimeSeconds', 'capturedAt'])

/** The answer as a program reads it: volatile members as their types, times in milliseconds. */
function seen(value: unknown, member = ''): unknown {
  if (volatile.has(member)) return typeof value
  if (typeof value === 'string') return milliseconds(value) ?? value
  if (Array.isArray(value)) return value.map((one) => seen(one))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, seen(one, name)]))
}

function ask(url: string, { ask: asked, body, isUnsized, headers, authorization = `Bearer ${key}` }: Case) {
  const [method = '', path = ''] = asked.split(' ')
  return new Promise<Answer>((resolve, reject) => {
    const request = send(url + path, {
      method,
      agent: false,
      headers: { ...(authorization !== '' && { authorization }), ...headers },
    })
    if (isUnsized) request.removeHeader('transfer-encoding')
    else if (method !== 'GET') request.setHeader('content-length', Buffer.byteLength(body ?? ''))
    request.on('error', reject)
    request.on('response', async (response) => {
      // The game sends a body even here, which no parser accepts.
      if (method === 'HEAD') return resolve({ status: response.statusCode ?? 0, body: '' })
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const isJson = response.headers['content-type']?.startsWith('application/json') === true
      resolve({
        status: response.statusCode ?? 0,
        body: seen(isJson && text !== '' ? parseJson(text) : text),
      })
    })
    if (isUnsized) request.useChunkedEncodingByDefault = false
    request.end(body)
  })
}

/** A game and farmgate before it, with the world of a case. */
async function pairFor({ world: change }: Partial<Case>) {
  const pair = await startPair({ key, snapshotEvery: 3_600_000 })
  const { world } = pair.server
  world.join('Abby', abby)
  world.leave(abby)
  world.addFarmhand('Zoë', zoe)
  change?.(world)
  world.publish()
  await eventually(async () => {
    expect(pair.bridge.health().gameAvailable).toBe(true)
    expect((await pair.bridge.status()).version).toBe(world.snapshot.status.version)
    expect((await pair.bridge.players()).version).toBe(world.snapshot.status.version)
  })
  return pair
}

/**
 * Sends requests to both: reads to those that the first test starts, a write to each with its own world in the same state.
 */
export function asksBoth() {
  let usual: ReturnType<typeof pairFor> | undefined
  afterAll(async () => (await usual)?.close())
  const own = async (one: Case) => {
    const pair = await pairFor(one)
    onTestFinished(() => pair.close())
    return pair
  }
  return async (one: Case): Promise<{ readonly game: Answer; readonly farmgate: Answer }> => {
    const isRead = one.ask.startsWith('GET ')
    const isUsual = isRead && one.world === undefined
    if (isUsual) usual ??= pairFor({})
    const pair = (isUsual && (await usual)) || (await own(one))
    const { gate } = isRead ? pair : await own(one)
    const answers = await Promise.all([ask(pair.server.url, one), ask(gate.url, one)])
    // Each world numbers and dates its own snapshots.
    const [game, farmgate] = JSON.parse(JSON.stringify(answers, undated))
    return { game, farmgate }
  }
}
const undated = (name: string, value: unknown) =>
  ['lastUpdated', 'startedAtUtc'].includes(name)
    ? typeof value
    : typeof value === 'bigint'
      ? `int64 ${value}`
      : value

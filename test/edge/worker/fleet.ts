/** Requests to the fleet API and to farms of a fleet, sent from inside workerd. */
import { exports } from 'cloudflare:workers'
import { expect } from 'vitest'
import { eventually } from '../../wait.ts'
import { status } from './origin.ts'

/** Key of the tests' Worker (vitest.config.ts). */
export const fleetKey = 'ZmxlZXQga2V5IHRoYXQgaXMgMzIgYnl0ZXMgbG8='

export interface Keys {
  readonly apiKey: string
  readonly linkKey: string
}

export const ask = (
  method: string,
  path: string,
  key?: string,
  headers: Record<string, string> = {},
  body?: object,
) =>
  exports.default.fetch(`https://edge.example${path}`, {
    method,
    headers: { ...headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
export const create = async (farm: string): Promise<Keys> =>
  (await ask('PUT', `/farms/${farm}`, fleetKey)).json()

export async function socket(
  path: string,
  key?: string,
): Promise<{ ws: WebSocket; closed: Promise<number>; heard: string[] }> {
  const answer = await ask('GET', path, key, { Upgrade: 'websocket' })
  const { webSocket } = answer
  if (webSocket === null) throw new Error(`no socket: ${answer.status} ${await answer.text()}`)
  const heard: string[] = []
  webSocket.addEventListener('message', ({ data }: MessageEvent) => heard.push(String(data)))
  const closed = new Promise<number>((resolve) => {
    webSocket.addEventListener('close', ({ code }: CloseEvent) => resolve(code))
  })
  webSocket.accept()
  return { ws: webSocket, closed, heard }
}

/** A change of the players that a farm sends. */
export const statusEvent = (playerCount: number, isOnline = true) =>
  JSON.stringify({
    type: 'event',
    event: { type: 'status_changed', status: { ...status, playerCount, isOnline } },
  })

/** Confirms the fleet's changes, as a farm does. */
const confirmChanges = (ws: WebSocket) =>
  ws.addEventListener('message', ({ data }: MessageEvent) => {
    const { method, id } = JSON.parse(String(data))
    if (method === 'fleetChanged') ws.send(`{"type":"answer","id":${id}}`)
  })

const healthy = { gameAvailable: true, isFrozen: false, tickCount: 1, pace: 60 }

/** Links a farm, without a client. @param confirms whether it confirms the fleet's changes */
export async function openLink(
  farm: string,
  { linkKey }: Keys,
  confirms = true,
  health: object = healthy,
  playerCount = 1,
) {
  const origin = await socket(`/farms/${farm}/link`, linkKey)
  if (confirms) confirmChanges(origin.ws)
  origin.ws.send(
    JSON.stringify({
      type: 'hello',
      version: 1,
      run: `run of ${farm}`,
      status: { ...status, playerCount, farmName: farm },
      health: { records: 'ok', ...health },
      numbers: { from: 1, next: 1 },
    }),
  )
  return origin
}

export async function openFarm(farm: string, keys: Keys) {
  const origin = await openLink(farm, keys)
  const client = await socket(`/farms/${farm}/ws`)
  client.ws.send(JSON.stringify({ type: 'auth', payload: { token: keys.apiKey } }))
  await eventually(() => {
    expect(origin.heard[0]).toContain('"welcome"')
    expect(client.heard).toHaveLength(1)
  })
  return { origin, client }
}

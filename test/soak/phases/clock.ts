/**
 * A wall clock that jumps, by hours and by years, forwards and back: no request fails, no kept row is removed, and
 * nothing is delayed.
 */

import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { Row } from '../../../bench/measure.ts'
import { listening } from '../../listening.ts'
import { lineRows, settled, startCrowd } from '../crowd.ts'
import { startFarmgateWithGame } from '../farmgate-with-game.ts'
import { measure } from '../holder.ts'
import { none, type Phase } from '../phase.ts'

const hour = 3_600_000
const year = 365 * 24 * hour
const jumps = [year, -year, hour, -hour, -24 * hour, 24 * hour, 10 * year, -20 * year, 10 * year]
const clients = 50
/** Milliseconds after the last jump in which all deliveries must arrive. */
const deliveredWithin = 30_000

/** A receiver of webhooks that records the received chat lines. */
async function startReceiver() {
  const heard = new Set<string>()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    for (const [line] of body.matchAll(/line \d+\.\d+/g)) heard.add(line)
    response.writeHead(204).end()
  })
  const port = await listening(server)
  return {
    url: `http://127.0.0.1:${port}/`,
    heard,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function run(seconds: number): Promise<readonly Row[]> {
  const receiver = await startReceiver()
  const { key, game, farmgate } = await startFarmgateWithGame(
    {
      RATE_LIMIT_READS: '6000',
      RATE_LIMIT_WRITES: '6000',
      RATE_LIMIT_ANONYMOUS: '0',
      WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
    },
    new URL('../subjects/jumping-clock.ts', import.meta.url),
  )
  const ask = (method: string, path: string, body?: object) =>
    fetch(farmgate.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const crowd = await startCrowd(farmgate.wsUrl, key, clients)
  try {
    const failures: Record<string, number> = {}
    const failed = (kind: string, count = 1) => {
      failures[kind] = (failures[kind] ?? 0) + count
    }
    const written = async (method: string, path: string, body?: object) => {
      const { status } = await ask(method, path, body)
      if (status >= 400) failed(`${method} ${path} ${status}`)
    }
    await written('POST', '/webhooks', {
      name: 'all lines',
      url: receiver.url,
      events: ['chat.message'],
      format: 'text',
    })
    const end = performance.now() + seconds * 1000
    let made = 0
    const said: string[] = []
    while (performance.now() < end || made < jumps.length) {
      farmgate.send(jumps[made % jumps.length] ?? 0)
      made += 1
      await written('POST', '/rendering?fps=5')
      for (let line = 0; line < 5; line += 1) {
        said.push(`line ${made}.${line}`)
        await game.call('say', said.at(-1))
      }
      await crowd.call('cut', 2, made)
      const measured = await measure(farmgate.url, key, 0.3)
      for (const [kind, count] of Object.entries(measured.failures)) failed(kind, count)
      // Longer than the second in which too old rows are removed.
      await pause(900)
    }
    const late = performance.now() + deliveredWithin
    while (receiver.heard.size < said.length && performance.now() < late) await pause(100)
    const rows = (await (await ask('GET', '/audit/export?action=setRendering')).text()).split('\n')
    const chat = await (await ask('GET', '/history/chat?limit=500')).text()
    const kept = said.slice(-400).filter((line) => chat.includes(`"${line}"`)).length
    return [
      { what: 'jumps of the clock', measured: String(made) },
      none('requests that failed', failures),
      none('missing rows of the audit', { rows: made - (rows.length - 1) }),
      none('missing ones of the newest 400 chat lines', {
        lines: Math.min(said.length, 400) - kept,
      }),
      none('webhook deliveries that are held back', { lines: said.length - receiver.heard.size }),
      ...lineRows(await settled(crowd, clients)),
      none('errors in the log', { errors: farmgate.errors.length }),
    ]
  } finally {
    for (const subject of [crowd, game]) await subject.stop()
    await farmgate.kill()
    receiver.stop()
  }
}

export const clockPhase: Phase = { name: 'clock', title: 'A clock that jumps', share: 1, run }

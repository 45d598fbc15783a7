/** 20,000 deliveries of webhooks by a process that is killed in the middle of them. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Row } from '../../../bench/measure.ts'
import { listening } from '../../listening.ts'
import { until } from '../crowd.ts'
import { atMost, none, type Phase } from '../phase.ts'

const program = fileURLToPath(new URL('../../services/webhooks/killed.ts', import.meta.url))
const events = 20_000
/** Seconds in which all of them arrive. */
const patience = 300

const start = (...args: readonly string[]) =>
  spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })

/** Makes events from this number on until so many are stored, and kills the process. @returns their numbers */
async function stored(folder: string, url: string, from: number, count: number): Promise<readonly number[]> {
  const child = start(folder, url, String(from))
  let said = ''
  let lines = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
    lines += chunk.split('\n').length - 1
    if (lines >= count) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return said.split('\n').slice(0, -1).map(Number)
}

async function deliver(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-deliveries-'))
  /** How often each event has arrived. */
  const arrived = new Map<number, number>()
  const receiver = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request)) as { data: { playerId: number } }
    arrived.set(data.playerId, (arrived.get(data.playerId) ?? 0) + 1)
    response.writeHead(204).end()
  })
  const url = `http://127.0.0.1:${await listening(receiver)}/`
  let last: ChildProcess | undefined
  try {
    const made = [
      ...(await stored(folder, url, 0, events / 2)),
      ...(await stored(folder, url, 1_000_000, events / 2)),
    ]
    last = start(folder, url)
    const lost = () => made.filter((number) => !arrived.has(number)).length
    await until(() => lost() === 0, patience)
    const again = [...arrived.values()].reduce((sum, times) => sum + times - 1, 0)
    return [
      { what: 'deliveries stored before a kill', measured: String(made.length) },
      none('deliveries that never arrived', { lost: lost() }),
      // A kill can come between an answer and its row: at most for all concurrent ones.
      atMost('deliveries that arrived twice', again, 20),
    ]
  } finally {
    last?.kill('SIGKILL')
    receiver.closeAllConnections()
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const deliveriesPhase: Phase = {
  name: 'deliveries',
  title: '20,000 deliveries of webhooks over two kills',
  share: 2,
  run: deliver,
}

/** Clients that poll and write over HTTP, each one request after another. */
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { serveSubject } from '../../../bench/measure.ts'

const [url = '', key = ''] = process.argv.slice(2)
const paths = ['/players', '/status', '/cabins', '/farmhands', '/wait/players?since=0', '/health']
const agent = new Agent({ keepAlive: true, maxSockets: 1000 })
const outcomes = new Map<string, number>()
let isStopped = false
let all: readonly Promise<void>[] = []

function ask(method: string, path: string): Promise<string> {
  return new Promise((resolve) => {
    const asked = request(`${url}${path}`, { method, agent, headers: { Authorization: `Bearer ${key}` } })
    let status: number | undefined
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(`${method}: ${error.code ?? error.message}`))
    asked.on('response', (response) => {
      status = response.statusCode
      response.resume().on('error', () => undefined)
      response.on('close', () => resolve(response.complete ? `${status}` : `${method}: answer cut off`))
    })
    asked.end()
  })
}

async function poll(number: number, milliseconds: number): Promise<void> {
  for (let turn = number; !isStopped; turn += 1) {
    const isWrite = milliseconds > 0 && turn % 20 === 0
    const outcome = await ask(
      isWrite ? 'POST' : 'GET',
      isWrite ? '/rendering?fps=5' : (paths[turn % paths.length] ?? '/'),
    )
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    await pause(milliseconds)
  }
}

serveSubject({
  /** @param milliseconds between an answer and the next request */
  poll(clients: number, milliseconds: number) {
    all = Array.from({ length: clients }, (_, number) => poll(number, milliseconds))
  },
  /** Sends a write on each of so many connections. @returns the outcome of each, when all are known */
  write: (count: number) => Promise.all(Array.from({ length: count }, () => ask('POST', '/rendering?fps=5'))),
  async stop() {
    isStopped = true
    await Promise.all(all)
  },
  outcomes: () => Object.fromEntries(outcomes),
})

/** One number for a chat line, with a real farm process, a real Worker, and clients that move between the two. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { seededRandom } from '../../bridges/simulated/random.ts'
import { connect } from '../../client/index.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { startGameServer } from '../game-server/game-server.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { eventually, pause } from '../wait.ts'
import { startEdge } from './edge.ts'
import { linkKey } from './edge-server.ts'
import { wireTo } from './wire.ts'

/** The lines that any client has received, by number: the same for all. */
type Heard = Map<number, string>

/** A client that returns with its last `since`, at either address. */
function mover(heard: Heard, name: string) {
  const lines = new Map<number, string>()
  const gaps: (readonly [from: number, to: number])[] = []
  const wrong: string[] = []
  let since = 0
  let ws: WebSocket | undefined
  const take = (type: string, { seq, message, from, to }: Readonly<Record<string, unknown>>) => {
    if (type === 'gap') {
      if (since > 0 && from !== since + 1) wrong.push(`${name}: a gap from ${from} after ${since}`)
      if (since > 0) gaps.push([since + 1, Number(to)])
      since = Number(to)
    }
    if (type !== 'chat') return
    const [number, text] = [Number(seq), String(message)]
    if (since > 0 && number !== since + 1) wrong.push(`${name}: ${number} "${text}" after ${since}`)
    if ((heard.get(number) ?? text) !== text)
      wrong.push(`${name}: ${number} is "${text}" and "${heard.get(number)}"`)
    heard.set(number, text)
    lines.set(number, text)
    since = number
  }
  return {
    lines,
    gaps,
    wrong,
    get since() {
      return since
    },
    moveTo(url: string) {
      ws?.terminate()
      const own = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false })
      ws = own
      own.on('error', () => undefined)
      own.on('open', () => own.send(JSON.stringify({ type: 'auth', payload: { token: suiteKey, since } })))
      own.on('message', (data) => {
        const { type, payload = {} } = JSON.parse(String(data))
        if (ws === own) take(type, payload)
      })
    },
    isConnected: () => ws?.readyState === WebSocket.OPEN,
    leave: () => ws?.terminate(),
  }
}

async function aFarm() {
  const game = await startGameServer({ snapshotEvery: 100 })
  const edge = await startEdge(inject('edgeBundle'), { API_KEY: suiteKey, LINK_KEY: linkKey })
  const wire = await wireTo(edge.url)
  const folder = await mkdtemp(join(tmpdir(), 'farmgate-number-'))
  const data = join(folder, 'data')
  const copy = join(folder, 'copy')
  const start = async () => {
    const farm = await serving({
      API_KEY: suiteKey,
      GAME_API_URL: game.url,
      EDGE_URL: wire.url,
      EDGE_LINK_KEY: linkKey,
      DATA_DIR: data,
      RATE_LIMIT_ANONYMOUS: '0',
    })
    await eventually(async () => (await fetch(`${farm.url}/ready`)).status === 200)
    return farm
  }
  let farm = await start()
  const heard: Heard = new Map()
  const clients = [mover(heard, 'one'), mover(heard, 'two'), mover(heard, 'three')]
  onTestFinished(async () => {
    for (const client of clients) client.leave()
    await wire.stop()
    await edge.stop()
    await game.stop()
    await rm(folder, { recursive: true, force: true })
  })
  game.world.join('Abby', 7n)
  let said = 0
  const say = (count: number) => {
    for (let line = 0; line < count; line += 1) {
      said += 1
      game.world.say('Abby', `line ${said}`)
    }
  }
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    farm.signal(signal)
    await farm.exited
  }
  return {
    edge,
    wire,
    heard,
    clients,
    say,
    url: () => farm.url,
    async restart(signal: 'SIGTERM' | 'SIGKILL') {
      await end(signal)
      farm = await start()
    },
    /** The current state of the disk; the process is killed for it. */
    async keepCopy() {
      await end('SIGKILL')
      await rm(copy, { recursive: true, force: true })
      await cp(data, copy, { recursive: true })
      farm = await start()
    },
    async restore() {
      await end('SIGKILL')
      await rm(data, { recursive: true, force: true })
      await cp(copy, data, { recursive: true }).catch(() => undefined)
      farm = await start()
    },
    /** All clients are at the two addresses, and have the newest line. */
    async settle() {
      wire.refuse(false)
      await eventually(() => {
        if (heard.size === 0) say(1)
        const last = `line ${said}`
        for (const [at, client] of clients.entries())
          if (!client.isConnected()) client.moveTo(at === 0 ? farm.url : edge.url)
        if (!clients.every(({ since }) => heard.get(since) === last)) {
          // A line that no client has received was said before the farm had its chat.
          if (![...heard.values()].includes(last)) say(1)
          return pause(100).then(() => false)
        }
        return true
      })
    },
  }
}

/** The faults in the received lines. @param mayLose whether lines can be missing with a gap in their place */
function faultsOf(
  { heard, clients }: Awaited<ReturnType<typeof aFarm>>,
  mayLose: boolean,
): readonly string[] {
  const faults = clients.flatMap(({ wrong }) => wrong)
  const texts = [...heard.values()]
  for (const [at, text] of texts.entries())
    if (texts.indexOf(text) !== at) faults.push(`"${text}" has two numbers`)
  for (const { lines, gaps } of clients) {
    const first = Math.min(...lines.keys())
    for (const [seq, text] of heard)
      if (seq > first && !lines.has(seq) && !gaps.some(([from, to]) => from <= seq && seq <= to))
        faults.push(`${seq} "${text}" was lost`)
    if (!mayLose && gaps.length > 0) faults.push(`gaps: ${gaps.join(' and ')}`)
  }
  return faults
}

const seedOf = () => process.env['SEED'] ?? String(Date.now())

/** @throws {Error} with the seed and every fault */
function expectNone(faults: readonly string[], seed: string): void {
  if (faults.length > 0) throw new Error(`with SEED=${seed}:\n${faults.slice(0, 20).join('\n')}`)
}

test('clients that move between the farm and the edge while the link is cut get every line once, under one number, without a gap; then the client’s live connection, moved with the last seq, does', async () => {
  const seed = seedOf()
  const random = seededRandom(seed)
  const farm = await aFarm()
  const { clients, heard, say, wire, edge } = farm
  await farm.settle()
  for (let step = 0; step < 250; step += 1) {
    say(random.whole(0, 3))
    if (random.chance(0.15)) wire.cut()
    if (random.chance(0.1)) wire.refuse(random.chance(0.5))
    if (random.chance(0.4)) random.pick(clients).moveTo(random.chance(0.5) ? edge.url : farm.url())
    await pause(random.whole(0, 30))
  }
  await farm.settle()
  expectNone(faultsOf(farm, false), seed)

  let since = clients[0]?.since
  const seqs: number[] = []
  for (let turn = 0; turn < 6; turn += 1) {
    const url = turn % 2 === 0 ? farm.url() : edge.url
    const live = connect({ url, key: suiteKey }).live({ since, topics: [] })
    live.on('gap', (gap) => expect.unreachable(`a gap from ${gap.from} to ${gap.to}`))
    live.on('chat', ({ seq }) => {
      seqs.push(seq)
      since = seq
    })
    say(3)
    await eventually(() => expect(seqs).toHaveLength(4 * turn + 3))
    live.close()
    say(1)
  }
  await farm.settle()
  const numbers = [...heard.keys()].sort((a, b) => a - b)
  expect(seqs).toEqual(numbers.slice(numbers.indexOf(seqs[0] ?? 0)).slice(0, 23))
})

test('over kills, restarts, lost and restored records no line is doubled or renumbered, and a gap reports each missing one', {
  timeout: 400_000,
}, async () => {
  const seed = seedOf()
  const random = seededRandom(seed)
  const farm = await aFarm()
  const { clients, say, wire, edge } = farm
  await farm.settle()
  const disasters = [
    () => farm.restart('SIGKILL'),
    () => farm.restart('SIGTERM'),
    farm.keepCopy,
    farm.restore,
  ]
  for (let step = 0; step < 80; step += 1) {
    say(random.whole(0, 3))
    if (random.chance(0.15)) wire.cut()
    if (random.chance(0.1)) wire.refuse(random.chance(0.5))
    for (const client of clients)
      if (!client.isConnected() || random.chance(0.1))
        client.moveTo(random.chance(0.5) ? edge.url : farm.url())
    if (step % 12 === 11) await random.pick(disasters)()
    await pause(random.whole(0, 60))
  }
  await farm.settle()
  expectNone(faultsOf(farm, true), seed)
})

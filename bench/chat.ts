/**
 * Chat to many clients: deliveries per second of processor time compared with bare sockets, bursts of lines, stalled
 * clients, and how long the event loop is blocked.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { chatMessage } from '../handlers/chat/messages.ts'
import { textFrame } from '../runtime/node/frame.ts'
import { median, percentile, printTable, type Row, type Subject, startSubject } from './measure.ts'

const key = randomBytes(32).toString('base64')
const at = (name: string) => new URL(`subjects/${name}.ts`, import.meta.url)
const text = 'x'.repeat(150)

/** A `chat` message with as many bytes as those of the measured farm: the same player name, and a `seq` of 16 digits. */
async function messageOf(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/players`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  const { players } = (await answer.json()) as { players: [{ name: string }] }
  const line = { playerName: players[0].name, message: text, timestamp: new Date(0).toISOString() }
  return chatMessage(line, Date.now() * 1000)
}

interface Stage {
  readonly server: Subject
  readonly crowd: Subject
  readonly clients: number
}

/** Connects clients to a server. @param stalled how many of them read nothing once they are connected */
async function stage(server: Subject, message: string, clients: number, stalled = 0): Promise<Stage> {
  const crowd = await startSubject(at('chat-load'))
  await crowd.call('enter', { port: await server.call<number>('port'), key, clients, stalled })
  await crowd.call('count', textFrame(message).length)
  return { server, crowd, clients: clients - stalled }
}

/**
 * Says `lines` lines, waits until all clients received them, and repeats this `times` times. @param what the text of
 * each line; for bare sockets the whole `chat` message @returns the processor time that the server used, milliseconds
 */
async function deliver(
  { server, crowd, clients }: Stage,
  what: string,
  times: number,
  lines: number,
): Promise<number> {
  const before = await server.call<number>('cpu')
  for (let time = 0; time < times; time += 1) {
    await crowd.call('expect', lines * clients)
    await server.call('say', what, lines)
    const arrived = await crowd.call<number>('arrived', 30_000)
    if (arrived !== lines * clients) throw new Error(`${arrived} of ${lines * clients} lines arrived`)
  }
  return (await server.call<number>('cpu')) - before
}

async function end({ crowd }: Stage): Promise<void> {
  await crowd.call('leave')
  await crowd.stop()
  await delay(500)
}

const rows: Row[] = []
const farmgate = await startSubject(at('farmgate'), key)
const message = await messageOf(await farmgate.call<number>('port'))
const bare = await startSubject(at('bare-sockets'))

const ours = await stage(farmgate, message, 1000)
const theirs = await stage(bare, message, 1000)
await deliver(ours, text, 20, 1)
await deliver(theirs, message, 20, 1)
const ratios: number[] = []
const bursts: number[] = []
for (let round = 0; round < 7; round += 1) {
  const bareTime = await deliver(theirs, message, 40, 1)
  const single = await deliver(ours, text, 40, 1)
  const burst = await deliver(ours, text, 40, 8)
  ratios.push(bareTime / single)
  bursts.push(burst / (8 * single))
}
await end(ours)
await end(theirs)
await bare.stop()
rows.push(
  {
    what: 'deliveries per CPU second to 1 000 clients / bare socket.write loop',
    measured: median(ratios).toFixed(2),
    bound: '≥ 0.80',
    holds: median(ratios) >= 0.8,
  },
  {
    what: 'a burst of 8 lines / eight single ones',
    measured: median(bursts).toFixed(2),
    bound: '≤ 0.20',
    holds: median(bursts) <= 0.2,
  },
)

/** @returns the 99th percentile of the time from saying a line to its arrival at a client that reads, milliseconds */
async function p99(stalled: number): Promise<number> {
  const scene = await stage(farmgate, message, 1000, stalled)
  const said: number[] = []
  const delays: number[] = []
  await scene.crowd.call('expect', 100 * scene.clients)
  for (let line = 0; line < 100; line += 1) {
    said.push(await farmgate.call<number>('say', text, 1))
    await delay(20)
  }
  await scene.crowd.call('arrived', 30_000)
  const arrivals = await scene.crowd.call<number[][]>('arrivals')
  for (const [line, times] of arrivals.entries())
    for (const time of times) delays.push(time - (said[line] ?? 0))
  await end(scene)
  return percentile(delays, 0.99)
}

const pairs: { alone: number; stalled: number }[] = []
for (let round = 0; round < 5; round += 1) pairs.push({ alone: await p99(0), stalled: await p99(10) })
const slower = median(pairs.map(({ alone, stalled }) => stalled / alone))
rows.push({
  what: 'p99 delivery with 1 % of clients stalled / with none',
  measured: `${slower.toFixed(2)} (${median(pairs.map(({ stalled }) => stalled)).toFixed(1)} ms)`,
  bound: '≤ 1.5',
  holds: slower <= 1.5,
})

const flooded = await stage(farmgate, message, 200, 100)
const before = await farmgate.call<number>('rss')
for (let burst = 0; burst < 40; burst += 1) {
  await farmgate.call('say', text, 1000)
  await delay(20)
}
await delay(500)
const grown = ((await farmgate.call<number>('rss')) - before) / 2 ** 20
await end(flooded)
rows.push({
  what: '100 stalled clients, 10 MB said: memory grown, MiB (each queued apart: 1 000)',
  measured: grown.toFixed(0),
  bound: '≤ 100 × 1',
  holds: grown <= 100,
})

const large = await stage(farmgate, message, 10_000)
await deliver(large, text, 3, 1)
const blocks: number[] = []
const collections: number[] = []
for (let round = 0; round < 10; round += 1) {
  await farmgate.call('watchLoop')
  await deliver(large, text, 1, 1)
  const [block, collection] = await farmgate.call<[number, number]>('longestBlock')
  blocks.push(block)
  collections.push(collection)
}
await end(large)
rows.push({
  what: 'longest block of the event loop while a line goes to 10 000 clients, worst of 10 lines, ms',
  measured: `${Math.max(...blocks).toFixed(1)}, median ${median(blocks).toFixed(1)}`,
  bound: '≤ 20',
  holds: Math.max(...blocks) <= 20,
  goal: '≤ 10',
  limit: `a line is sent in slices of 2; the longest garbage collection of a process with 10 000 sockets: ${Math.max(...collections).toFixed(1)}`,
})
await farmgate.stop()
printTable('Chat', rows)

/** The upstream bridge: processor time of a request, requests that it sends to the game, and delay of a chat line. */
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { median, percentile, printTable, type Row, type Subject, startSubject } from './measure.ts'

const key = randomBytes(32).toString('base64')
const at = (name: string) => new URL(`subjects/${name}.ts`, import.meta.url)
const portOf = (subject: Subject) => subject.call<number>('port')

const game = await startSubject(at('game-server'), key)
const upstream = await startSubject(at('gate'), key, `http://127.0.0.1:${await portOf(game)}`)
const simulated = await startSubject(at('gate'), key)
const rows: Row[] = []

/** Processor time of one `GET /players` through the bridge, compared with the simulated farm. */
async function cost(): Promise<void> {
  const load = await startSubject(at('http-load'))
  const requests = 10_000
  const microseconds = async (subject: Subject) => {
    const to = { port: await portOf(subject), key, connections: 64, requests }
    const before = await subject.call<number>('cpu')
    await load.call('run', to)
    return (((await subject.call<number>('cpu')) - before) * 1000) / requests
  }
  const runs: { upstream: number; simulated: number }[] = []
  for (let round = -4; round < 21; round += 1) {
    // The two take turns to go first.
    const first = round % 2 === 0 ? await microseconds(upstream) : undefined
    const run = {
      simulated: await microseconds(simulated),
      upstream: first ?? (await microseconds(upstream)),
    }
    if (round >= 0) runs.push(run)
  }
  await load.stop()
  const ratio = median(runs.map((run) => run.upstream / run.simulated))
  rows.push(
    {
      what: 'GET /players on the simulated farm, CPU',
      measured: `${median(runs.map((run) => run.simulated)).toFixed(1)} µs`,
    },
    {
      what: 'GET /players through the bridge, CPU',
      measured: `${median(runs.map((run) => run.upstream)).toFixed(1)} µs`,
    },
    { what: 'bridge / simulated', measured: ratio.toFixed(2), bound: '≤ 1.1', holds: ratio <= 1.1 },
  )
}

/** Requests a second that the bridge sends to the game while a thousand clients poll every second. */
async function requestsAtTheGame(): Promise<void> {
  const load = await startSubject(at('upstream-load'))
  const paths = ['/players', '/status', '/cabins']
  const [clients, seconds] = [1000, 10]
  const before = await game.call<Record<string, number>>('counts')
  const began = performance.now()
  const answers = await load.call<number>(
    'poll',
    { port: await portOf(upstream), key },
    paths,
    clients,
    seconds,
  )
  const took = (performance.now() - began) / 1000
  const after = await game.call<Record<string, number>>('counts')
  await load.stop()
  const rates = Object.entries(after).map(
    ([resource, count]) => [resource, (count - (before[resource] ?? 0)) / took] as const,
  )
  const [busiest, highestRate] = rates.toSorted(([, a], [, b]) => b - a)[0] ?? ['', 0]
  rows.push(
    { what: `answers to ${clients} clients at 1 Hz on ${paths.length} resources`, measured: `${answers}` },
    {
      what: `requests per second at the game, the busiest resource (${busiest})`,
      measured: highestRate.toFixed(2),
      bound: '≤ 2',
      holds: highestRate <= 2,
    },
  )
}

const lines = 60
/** The first lines are a warm-up and do not count. */
const warmUpLines = 10

/** Milliseconds from saying a line in the game to its arrival, for each client and line. */
async function latencies(port: number, clients: number): Promise<number[]> {
  const load = await startSubject(at('upstream-load'))
  await load.call('listen', { port, key }, clients)
  const said: number[] = []
  for (let line = 0; line < lines; line += 1) {
    said.push(await game.call<number>('say', `line ${line}`))
    await delay(100)
  }
  // The last lines can arrive late on a busy machine.
  await delay(2000)
  const arrivals = await load.call<number[][]>('leave')
  await load.stop()
  return arrivals.slice(warmUpLines).flatMap((times, line) => {
    if (times.length !== clients) throw new Error(`a line came to ${times.length} of ${clients} clients`)
    return times.map((time) => time - (said[line + warmUpLines] ?? Number.NaN))
  })
}

/** How much later a line arrives through farmgate than on the game's own `/ws`, with the same number of clients. */
async function chat(clients: number, bound?: number): Promise<void> {
  const [own, ours] = [await portOf(game), await portOf(upstream)]
  const rounds: { own: number; ours: number; late: number }[] = []
  for (let round = 0; round < 3; round += 1) {
    const direct = await latencies(own, clients)
    const through = await latencies(ours, clients)
    const late = percentile(through, 0.99) - percentile(direct, 0.99)
    rounds.push({ own: median(direct), ours: median(through), late })
  }
  const pick = (of: (round: (typeof rounds)[number]) => number) => median(rounds.map(of))
  const added = pick((round) => round.ours - round.own)
  rows.push(
    {
      what: `a line of chat to ${clients} client(s): the game's own socket, through farmgate, median`,
      measured: `${pick(({ own }) => own).toFixed(2)}, ${pick(({ ours }) => ours).toFixed(2)} ms`,
    },
    {
      what: 'added, median (99th percentile)',
      measured: `${added.toFixed(2)} (${pick(({ late }) => late).toFixed(2)}) ms`,
      ...(bound !== undefined && { bound: `≤ ${bound} ms`, holds: added <= bound }),
    },
  )
}

await cost()
await requestsAtTheGame()
await chat(1)
await chat(1000, 2)
for (const subject of [upstream, simulated, game]) await subject.stop()
printTable('The upstream bridge', rows)

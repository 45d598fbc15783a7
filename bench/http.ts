/** Authenticated `GET /players`: processor time per request, against a bare server that sends the same bytes. */
import { randomBytes } from 'node:crypto'
import { median, printTable, type Subject, startSubject } from './measure.ts'

const rounds = 7
const requests = 20_000
const connections = 64

const key = randomBytes(32).toString('base64')
const at = (name: string) => new URL(`subjects/${name}.ts`, import.meta.url)

const farmgate = await startSubject(at('farmgate'), key)
const port = await farmgate.call<number>('port')
const sample = await fetch(`http://127.0.0.1:${port}/players`, {
  headers: { Authorization: `Bearer ${key}` },
})
const body = await sample.text()
const ownToNode = new Set(['date', 'connection', 'keep-alive'])
const headers = Object.fromEntries([...sample.headers].filter(([name]) => !ownToNode.has(name)))
const bare = await startSubject(at('bare-http'), JSON.stringify(headers), body)
const adapter = await startSubject(at('bare-adapter'), JSON.stringify(headers), body)
const stock = await startSubject(at('stock-hono'), key, body)
const load = await startSubject(at('http-load'))

async function microsecondsPerRequest(subject: Subject, count: number): Promise<number> {
  const to = { port: await subject.call<number>('port'), key, connections, requests: count }
  const before = await subject.call<number>('cpu')
  await load.call('run', to)
  return (((await subject.call<number>('cpu')) - before) * 1000) / count
}

const runs: { bare: number; adapter: number; farmgate: number; stock: number }[] = []
for (let round = -1; round < rounds; round += 1) {
  const run = {
    bare: await microsecondsPerRequest(bare, requests),
    adapter: await microsecondsPerRequest(adapter, requests),
    farmgate: await microsecondsPerRequest(farmgate, requests),
    stock: await microsecondsPerRequest(stock, requests / 4),
  }
  // The first round warms up all and does not count.
  if (round >= 0) runs.push(run)
}
for (const subject of [farmgate, bare, adapter, stock, load]) await subject.stop()

const ratioOf = (pick: (run: (typeof runs)[number]) => number) =>
  median(runs.map((run) => pick(run) / run.bare))
const ratio = ratioOf((run) => run.farmgate)
const [stockRatio, adapterRatio] = [ratioOf((run) => run.stock), ratioOf((run) => run.adapter)]
const micros = (pick: (run: (typeof runs)[number]) => number) => `${median(runs.map(pick)).toFixed(1)} µs`
printTable('GET /players with a key: processor time per request', [
  { what: 'bare node:http, same bytes', measured: micros((run) => run.bare) },
  { what: 'farmgate', measured: micros((run) => run.farmgate) },
  { what: 'stock Hono middleware', measured: micros((run) => run.stock) },
  {
    what: 'farmgate / bare',
    measured: ratio.toFixed(2),
    bound: '≤ 1.9',
    holds: ratio <= 1.9,
    goal: '≤ 1.35',
    limit: `@hono/node-server alone: ${adapterRatio.toFixed(2)}; 1.49 with own code in place of Hono's routes and prom-client's labels`,
  },
  { what: 'stock / bare', measured: stockRatio.toFixed(2) },
])

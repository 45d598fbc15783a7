/** Measures the Worker in workerd, with a farm in a separate process on a real link. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { startMiniflare } from '../test/edge/miniflare.ts'
import { listedFleet } from './edge/fleet.ts'
import { median, percentile, printTable, startSubject } from './measure.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const bundle = `${root}.wrangler/bundle`
const idleSockets = 5000
const chatClients = 2000
const linesPerSecond = 5
const seconds = 20
const reads = 2000

const wrangler = 'node_modules/wrangler/bin/wrangler.js'
const built = spawnSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', bundle], {
  cwd: root,
})
if (built.status !== 0) throw new Error(String(built.stderr))
const bundleKb = gzipSync(readFileSync(`${bundle}/worker.js`)).byteLength / 1000

const [key = '', linkKey = '', fleetKey = ''] = [0, 1, 2].map(() => randomBytes(32).toString('base64'))
const wakeUps: string[] = []
const edge = await startMiniflare(
  bundle,
  {
    API_KEY: key,
    LINK_KEY: linkKey,
    FLEET_KEY: fleetKey,
    WS_MAX_CLIENTS: '20000',
    LOG_LEVEL: 'debug',
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_ANONYMOUS: '0',
  },
  (line) => {
    if (line.includes('farm object')) wakeUps.push(line)
  },
)
const wsUrl = `${edge.url.replace('http', 'ws')}/ws`
const subject = (name: string) => new URL(`edge/${name}.ts`, import.meta.url)
const farm = await startSubject(subject('farm'), edge.url, key, linkKey)
while (!(await farm.call<boolean>('isLinked'))) await pause(20)

/** Sends reads one after another over one keep-alive connection. @returns the milliseconds of each */
async function readTimes(base: string, count: number): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  for (let at = 0; at < count; at += 1) {
    const began = performance.now()
    await new Promise<void>((resolve, reject) => {
      get(`${base}/players`, { agent, headers: { Authorization: `Bearer ${key}` } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`))
        response.resume().on('end', resolve)
      }).on('error', reject)
    })
    times.push(performance.now() - began)
  }
  agent.destroy()
  return times
}

const farmUrl = `http://127.0.0.1:${await farm.call<number>('port')}`
for (const base of [farmUrl, edge.url]) await readTimes(base, 300)
const atFarm = await readTimes(farmUrl, reads)
const atEdge = await readTimes(edge.url, reads)
const added = median(atEdge) - median(atFarm)

/** Resident memory of the workerd processes that this process started, megabytes (Linux). */
function workerdRss(): number {
  const pages = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const [, name, rest = ''] =
          /^\d+ \((.*?)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        const fields = rest.split(' ')
        return name === 'workerd' && fields[1] === String(process.pid) ? [Number(fields[21])] : []
      } catch {
        return []
      }
    })
  return (pages.reduce((sum, count) => sum + count, 0) * 4096) / 1e6
}

const before = workerdRss()
const idle = await startSubject(subject('clients'), wsUrl, key)
await idle.call('connect', idleSockets)
const filled = workerdRss()
// The object hibernates ten seconds after its last event.
await pause(15_000)
wakeUps.length = 0
await pause(60_000)
const whileIdle = wakeUps.length
const asleep = workerdRss()
const state = await (
  await fetch(`${edge.url}/metrics`, { headers: { Authorization: `Bearer ${key}` } })
).text()
const stateBytes = Number(/^farmgate_ws_state_bytes\{.*\} (\d+)/m.exec(state)?.[1])
const woken = wakeUps.length
await farm.call('say')
await pause(5000)
const { lines: afterSleep } = await idle.call<{ lines: readonly number[] }>('heard')
await idle.stop()
await pause(3000)

const talkers = await startSubject(subject('clients'), wsUrl, key)
await talkers.call('connect', chatClients)
await farm.call('say')
await pause(2000)
await talkers.call('heard')
const total = linesPerSecond * seconds
for (let line = 0; line < total; line += 1) {
  await farm.call('say')
  await pause(1000 / linesPerSecond)
}
await pause(3000)
const received = await talkers.call<{
  lines: readonly number[]
  broken: number
  open: number
  delays: readonly number[]
}>('heard')
const lost = received.lines.reduce((sum, count) => sum + (total + 1 - count), 0) + received.broken
const p99 = percentile(received.delays, 0.99)

await talkers.stop()
await farm.stop()
const fleet = await listedFleet(edge.url, fleetKey)
await edge.stop()

printTable('The edge in workerd, a farm behind a real link', [
  {
    what: "the Worker's bundle, gzip",
    measured: `${bundleKb.toFixed(1)} kB`,
    bound: '≤ 100 kB',
    holds: bundleKb <= 100,
  },
  { what: 'GET /players at the farm, median', measured: `${median(atFarm).toFixed(2)} ms` },
  { what: 'GET /players through edge and link, median', measured: `${median(atEdge).toFixed(2)} ms` },
  { what: 'added', measured: `${added.toFixed(2)} ms`, bound: '≤ 3 ms', holds: added <= 3 },
  {
    what: `own state of ${idleSockets} idle sockets, each`,
    measured: `${(stateBytes / idleSockets).toFixed(0)} B`,
    bound: '≤ 2048 B',
    holds: stateBytes / idleSockets <= 2048,
  },
  {
    what: "workerd's RSS: before, with the sockets, asleep",
    measured: `${before.toFixed(0)}, ${filled.toFixed(0)}, ${asleep.toFixed(0)} MB`,
  },
  {
    what: 'wake-ups in a minute in which nothing is said',
    measured: String(whileIdle),
    bound: '0',
    holds: whileIdle === 0,
  },
  {
    what: 'the object had slept, and was woken by a request',
    measured: woken > 0 ? 'yes' : 'no',
    bound: 'yes',
    holds: woken > 0,
  },
  {
    what: 'idle sockets that received the line that broke the silence',
    measured: String(afterSleep.filter((count) => count === 1).length),
    bound: String(idleSockets),
    holds: afterSleep.filter((count) => count === 1).length === idleSockets,
  },
  {
    what: `lines lost by ${chatClients} clients at ${linesPerSecond} lines a second`,
    measured: String(lost),
    bound: '0',
    holds: lost === 0 && received.open === chatClients,
  },
  {
    what: `GET /farms of 1,000 linked farms (${(fleet.bytes / 1000).toFixed(0)} kB), median`,
    measured: `${fleet.milliseconds.toFixed(1)} ms`,
    bound: '≤ 50 ms',
    holds: fleet.milliseconds <= 50,
  },
  { what: 'delay from farm to client, p50', measured: `${percentile(received.delays, 0.5)} ms` },
  { what: 'delay from farm to client, p99', measured: `${p99} ms`, bound: '< 500 ms', holds: p99 < 500 },
])

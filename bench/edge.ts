/**
 * Measures the Worker in workerd, with a farm in a separate process on a real link: reads and lines through
 * `npm run edge:serve`, by turns with a bare Worker, object and socket; sleep in Miniflare, where an object's log shows
 * when it wakes.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { bundled } from '../own-edge/bundle.ts'
import { completeBundle } from '../own-edge/complete-bundle.ts'
import { startMiniflare } from '../test/edge/miniflare.ts'
import { startOwnEdge, workerdOf } from '../test/edge/own-edge.ts'
import { listedFleet } from './edge/fleet.ts'
import { median, percentile, printTable, type Subject, startSubject } from './measure.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const bundle = `${root}.wrangler/bundle`
const idleSockets = 5000
const chatClients = 2000
const linesPerSecond = 5
const seconds = 20
/** By turns, each of so many reads. */
const [rounds, reads] = [15, 200]

const wrangler = 'node_modules/wrangler/bin/wrangler.js'
const built = spawnSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', bundle], {
  cwd: root,
})
if (built.status !== 0) throw new Error(String(built.stderr))
const bundleKb = gzipSync(readFileSync(`${bundle}/worker.js`)).byteLength / 1000

await completeBundle(bundle)

const [key = '', linkKey = '', fleetKey = ''] = [0, 1, 2].map(() => randomBytes(32).toString('base64'))
const vars = {
  API_KEY: key,
  LINK_KEY: linkKey,
  WS_MAX_CLIENTS: '20000',
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_ANONYMOUS: '0',
}
const subject = (name: string) => new URL(`edge/${name}.ts`, import.meta.url)

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

const isReady = async (farm: Subject) => {
  while (!(await farm.call<boolean>('isLinked'))) await pause(20)
}

/** A bundle whose Worker only passes texts on, with the settings of ours. */
const bareBundle = mkdtempSync(join(tmpdir(), 'farmgate-bare-'))
cpSync(bundle, bareBundle, { recursive: true, filter: (path) => !path.endsWith('.map') })
for (const name of [bundled.entry, bundled.worker])
  copyFileSync(new URL('edge/bare-worker.js', import.meta.url), join(bareBundle, name))

const [ours, bare] = [await startOwnEdge(vars, { bundle }), await startOwnEdge(vars, { bundle: bareBundle })]
const ourFarm = await startSubject(subject('farm'), ours.url, key, linkKey)
await isReady(ourFarm)
const farmUrl = `http://127.0.0.1:${await ourFarm.call<number>('port')}`
const sample = await fetch(`${farmUrl}/players`, { headers: { Authorization: `Bearer ${key}` } })
const bareFarm = await startSubject(subject('bare-farm'), bare.url, await sample.text())

/** Medians of the reads of each round, milliseconds. */
const readRounds: { farm: number; edge: number; bare: number }[] = []
for (let round = -1; round < rounds; round += 1) {
  const times = {
    farm: median(await readTimes(farmUrl, reads)),
    edge: median(await readTimes(ours.url, reads)),
    bare: median(await readTimes(bare.url, reads)),
  }
  // The first round warms up all three and does not count.
  if (round >= 0) readRounds.push(times)
}
const ofReads = (pick: (round: (typeof readRounds)[number]) => number) => median(readRounds.map(pick))
const added = ofReads(({ edge, farm }) => edge - farm)
const addedByBare = ofReads((round) => round.bare - round.farm)

interface Heard {
  readonly lines: readonly number[]
  readonly broken: number
  readonly open: number
  readonly delays: readonly number[]
}

/** Clients that hear the lines of a farm at an edge. @returns what they heard of so many lines */
async function hear(url: string, farm: Subject, lines: number): Promise<Heard> {
  const clients = await startSubject(subject('clients'), url, key)
  await clients.call('connect', chatClients)
  await farm.call('say')
  await pause(2000)
  await clients.call('heard')
  for (let line = 0; line < lines; line += 1) {
    await farm.call('say')
    await pause(1000 / linesPerSecond)
  }
  await pause(3000)
  const heard = await clients.call<Heard>('heard')
  await clients.stop()
  return heard
}

const lines = linesPerSecond * seconds
const chatUrl = ({ url }: { readonly url: string }) => `${url.replace('http', 'ws')}/ws`
const received = await hear(chatUrl(ours), ourFarm, lines)
const atBare = await hear(chatUrl(bare), bareFarm, lines)
/** The socket of workerd, past the shell in front of it. */
const config =
  readFileSync(`/proc/${workerdOf(ours)}/cmdline`, 'utf8')
    .split('\0')
    .at(-2) ?? ''
const behind = `ws+unix:${join(dirname(config), 'http')}:/ws`
/** p99 of the delays by turns, through the shell and past it. */
const shellRounds: { shell: number; past: number }[] = []
for (let round = 0; round < 3; round += 1) {
  const [through, past] = [
    await hear(chatUrl(ours), ourFarm, lines / 2),
    await hear(behind, ourFarm, lines / 2),
  ]
  shellRounds.push({ shell: percentile(through.delays, 0.99), past: percentile(past.delays, 0.99) })
}
const [throughShell, pastShell] = [
  median(shellRounds.map(({ shell }) => shell)),
  median(shellRounds.map(({ past }) => past)),
]
const lost = received.lines.reduce((sum, count) => sum + (lines + 1 - count), 0) + received.broken
const p99 = percentile(received.delays, 0.99)
for (const part of [ourFarm, bareFarm, ours, bare]) await part.stop()
rmSync(bareBundle, { recursive: true })

const wakeUps: string[] = []
const edge = await startMiniflare(bundle, { ...vars, FLEET_KEY: fleetKey, LOG_LEVEL: 'debug' }, (line) => {
  if (line.includes('farm object')) wakeUps.push(line)
})
const wsUrl = `${edge.url.replace('http', 'ws')}/ws`
const farm = await startSubject(subject('farm'), edge.url, key, linkKey)
await isReady(farm)

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

await farm.stop()
const fleet = await listedFleet(edge.url, fleetKey)
await edge.stop()

const inMs = (milliseconds: number) => `${milliseconds.toFixed(2)} ms`
printTable('The edge in workerd, a farm behind a real link', [
  {
    what: "the Worker's bundle, gzip",
    measured: `${bundleKb.toFixed(1)} kB`,
    bound: '≤ 89 kB',
    holds: bundleKb <= 89,
    goal: '≤ 70 kB',
    limit: 'what it runs, by esbuild: 34 % endpoints and chat, 14 % edge, 20 % Hono, valibot and prom-client',
  },
  { what: 'GET /players at the farm, median', measured: inMs(ofReads((round) => round.farm)) },
  { what: 'GET /players through edge and link, median', measured: inMs(ofReads((round) => round.edge)) },
  {
    what: 'added',
    measured: inMs(added),
    bound: '≤ 2.5 ms',
    holds: added <= 2.5,
    goal: '≤ 1.2 ms',
    limit: `a bare Worker, object and socket: ${inMs(addedByBare)}`,
  },
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
  {
    what: `the same p99 through the shell in front of workerd (${throughShell} ms) and past it (${pastShell} ms)`,
    measured: (throughShell / pastShell).toFixed(2),
    bound: '≤ 1.3',
    holds: throughShell / pastShell <= 1.3,
  },
  {
    what: 'delay from farm to client, p99',
    measured: `${p99} ms`,
    bound: '< 500 ms',
    holds: p99 < 500,
    goal: '≤ 60 ms',
    limit: `a bare object that only sends it: ${percentile(atBare.delays, 0.99)} ms; workerd needs 33 µs for each client`,
  },
])

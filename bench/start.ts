/**
 * The start of the built programs, with a warm compile cache; the memory of the control API when idle, alone and linked;
 * and what Node itself needs for the same parts: a server, the web's Response, and a thread with a database. Then the size
 * of the packages.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import * as v from 'valibot'
import { WebSocketServer } from 'ws'
import { median, printTable } from './measure.ts'

const at = (path: string) => new URL(`../${path}`, import.meta.url).pathname
/** As `npm run serve` and `npm run farmgate` start them. */
const serve = [
  '--max-semi-space-size=8',
  '--max-old-space-size=768',
  at('runtime/launch.cjs'),
  at('runtime/node/serve.ts'),
]
const commandLine = [at('runtime/launch.cjs'), at('cli/main.ts'), '--version']
const bareServer = `new (require('node:worker_threads').Worker)(
  'globalThis.db = new (require("node:sqlite").DatabaseSync)(":memory:"); db.exec("CREATE TABLE rows (id)"); setInterval(() => {}, 1e9)',
  { eval: true },
)
Response
require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('"listening"'))`
const newFolder = () => mkdtempSync(join(tmpdir(), 'farmgate-bench-'))
const environment = {
  API_PORT: '0',
  API_HOST: '127.0.0.1',
  API_KEY: 'a-key-for-this-measurement',
  DATA_DIR: newFolder(),
  LOG_FORMAT: 'json',
}

interface Started {
  readonly child: ChildProcess
  readonly milliseconds: number
}

async function start(args: readonly string[] = serve, more = {}): Promise<Started> {
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...environment, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Read until its end: a process whose output no one reads has errors.
  const isListening = new Promise<void>((resolve) =>
    child.stdout.on('data', (chunk) => String(chunk).includes('"listening"') && resolve()),
  )
  await isListening
  return { child, milliseconds: performance.now() - began }
}

async function stop({ child }: Started): Promise<void> {
  child.kill()
  await once(child, 'exit')
}

/** Resident memory of another process, MiB (Linux): all, and the part that is pages of files. */
function residentMiB({ child: { pid } }: Started) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  return { all: of('VmRSS'), files: of('RssFile') }
}

/** Has what a farm needs of an edge to stay linked. */
async function startEdge() {
  const server = createServer().listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const linked = new Promise<void>((resolve) =>
    new WebSocketServer({ server }).on('connection', (socket) =>
      socket.on('message', (data) => {
        const { type } = v.parse(
          v.object({ type: v.string() }),
          JSON.parse(String(data).split('\n', 1)[0] ?? ''),
        )
        if (type === 'ping') socket.send('{"type":"pong"}')
        if (type !== 'hello') return
        socket.send('{"type":"welcome","generation":1,"heard":0,"newest":0,"keys":true,"forwards":true}')
        resolve()
      }),
    ),
  )
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const url = `http://127.0.0.1:${port}/farms/farm`
  return {
    linked,
    variables: { EDGE_URL: url, EDGE_LINK_KEY: 'a-link-key-of-the-farm-for-this-measurement' },
  }
}

/** Megabytes on the disk of the packages of `npm ci`, or of those that remain with `--omit dev`. */
function installedMegabytes(hasDev: boolean): number {
  const lock = v.parse(
    v.object({ packages: v.record(v.string(), v.object({ dev: v.optional(v.boolean()) })) }),
    JSON.parse(readFileSync(at('package-lock.json'), 'utf8')),
  )
  const kept = Object.entries(lock.packages).filter(([place, { dev }]) => place !== '' && (hasDev || !dev))
  const places = kept.map(([place]) => at(place)).filter((place) => existsSync(place))
  const sizes = execFileSync('du', ['--summarize', '--block-size=1M', '--total', ...places], {
    encoding: 'utf8',
  })
  return Number.parseInt(sizes.trimEnd().split('\n').at(-1) ?? '', 10)
}

/** Milliseconds of seven runs of a program to its end, after one that is not counted. */
const callsOf = (args: readonly string[]) =>
  Array.from({ length: 8 }, () => {
    const began = performance.now()
    spawnSync(process.execPath, args, { env: environment })
    return performance.now() - began
  }).slice(1)

// Without it the sources would be measured.
spawnSync(process.execPath, [at('deploy/programs/build.ts')], { stdio: 'inherit' })
await stop(await start())
const times: number[] = []
const bareTimes: number[] = []
for (let run = 0; run < 7; run += 1)
  for (const [all, args] of [
    [times, serve],
    [bareTimes, ['-e', bareServer]],
  ] as const) {
    const started = await start(args)
    all.push(started.milliseconds)
    await stop(started)
  }
const calls = callsOf(commandLine)
const bareCalls = callsOf(['-e', '0'])
const idle = await start()
const bare = await start(['-e', bareServer])
const edge = await startEdge()
const linked = await start(serve, { ...edge.variables, DATA_DIR: newFolder() })
await edge.linked
await delay(15_000)
const resident = residentMiB(idle)
const linkedResident = residentMiB(linked)
const bareResident = residentMiB(bare)
const limit = 'Node with a server, Response, and a thread with a database'
for (const one of [idle, linked, bare]) await stop(one)

const packages = installedMegabytes(true)
const kept = installedMegabytes(false)

printTable('Start', [
  {
    what: 'from the start of the process to listening, ms (median of 7)',
    measured: median(times).toFixed(0),
    bound: '≤ 220',
    holds: median(times) <= 220,
    goal: '≤ 150',
    limit: `${limit}: ${median(bareTimes).toFixed(0)}`,
  },
  {
    what: 'resident memory, idle, MiB',
    measured: `${resident.all.toFixed(0)}, of which ${resident.files.toFixed(0)} are pages of files`,
    bound: '≤ 90',
    holds: resident.all <= 90,
    goal: '≤ 60',
    limit: `${limit}: ${bareResident.all.toFixed(0)}, of which ${bareResident.files.toFixed(0)}`,
  },
  {
    what: 'resident memory, idle and linked, MiB',
    measured: linkedResident.all.toFixed(0),
    bound: '≤ 92',
    holds: linkedResident.all <= 92,
    goal: '≤ 80',
    limit: `the same without a link: ${resident.all.toFixed(0)}`,
  },
  {
    what: 'one call of the command line, ms (median of 7)',
    measured: median(calls).toFixed(0),
    bound: '≤ 150',
    holds: median(calls) <= 150,
    goal: '≤ 120',
    limit: `bare Node: ${median(bareCalls).toFixed(0)}`,
  },
  {
    what: 'packages of npm ci, MB',
    measured: packages.toFixed(0),
    bound: '≤ 750',
    holds: packages <= 750,
    goal: '≤ 750',
  },
  {
    what: 'packages of npm ci --omit dev, MB',
    measured: kept.toFixed(0),
    bound: '≤ 250',
    holds: kept <= 250,
    goal: '≤ 280',
  },
])

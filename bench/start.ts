/**
 * The start of the built programs, with a warm compile cache, and the memory of the control API when idle; and what of it
 * bare Node needs for the same: a server, and a thread for the records.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
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
const bareServer = `new (require('node:worker_threads').Worker)('setInterval(() => {}, 1e9)', { eval: true })
require('node:http').createServer().listen(0, '127.0.0.1', () => console.log('"listening"'))`
const environment = {
  API_PORT: '0',
  API_HOST: '127.0.0.1',
  API_KEY: 'a-key-for-this-measurement',
  DATA_DIR: mkdtempSync(join(tmpdir(), 'farmgate-bench-')),
  LOG_FORMAT: 'json',
}

interface Started {
  readonly child: ChildProcess
  readonly milliseconds: number
}

async function start(args: readonly string[] = serve): Promise<Started> {
  const began = performance.now()
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.setEncoding('utf8')
  for await (const chunk of child.stdout) if (String(chunk).includes('"listening"')) break
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
await delay(10_000)
const resident = residentMiB(idle)
const bareResident = residentMiB(bare)
await stop(idle)
await stop(bare)

printTable('Start', [
  {
    what: 'from the start of the process to listening, ms (median of 7)',
    measured: median(times).toFixed(0),
    bound: '≤ 300',
    holds: median(times) <= 300,
    goal: '≤ 150',
    limit: `bare Node with a server and a thread: ${median(bareTimes).toFixed(0)}`,
  },
  {
    what: 'resident memory, idle, MiB',
    measured: `${resident.all.toFixed(0)}, of which ${resident.files.toFixed(0)} are pages of files`,
    bound: '≤ 100',
    holds: resident.all <= 100,
    goal: '≤ 60',
    limit: `bare Node with a server and a thread: ${bareResident.all.toFixed(0)}, of which ${bareResident.files.toFixed(0)}`,
  },
  {
    what: 'one call of the command line, ms (median of 7)',
    measured: median(calls).toFixed(0),
    bound: '≤ 200',
    holds: median(calls) <= 200,
    goal: '≤ 120',
    limit: `bare Node: ${median(bareCalls).toFixed(0)}`,
  },
])

/** The start of the built programs, with a warm compile cache, and the memory of the control API when idle. */
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

async function start(): Promise<Started> {
  const began = performance.now()
  const child = spawn(process.execPath, serve, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.setEncoding('utf8')
  for await (const chunk of child.stdout) if (String(chunk).includes('"listening"')) break
  return { child, milliseconds: performance.now() - began }
}

async function stop({ child }: Started): Promise<void> {
  child.kill()
  await once(child, 'exit')
}

/** Resident memory of another process, MiB (Linux). */
function residentMiB(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

// Without it the sources would be measured.
spawnSync(process.execPath, [at('deploy/programs/build.ts')], { stdio: 'inherit' })
await stop(await start())
const times: number[] = []
for (let run = 0; run < 7; run += 1) {
  const started = await start()
  times.push(started.milliseconds)
  await stop(started)
}
const calls = Array.from({ length: 8 }, () => {
  const began = performance.now()
  spawnSync(process.execPath, commandLine, { env: environment })
  return performance.now() - began
}).slice(1)
const idle = await start()
await delay(10_000)
const resident = residentMiB(idle.child.pid)
await stop(idle)

printTable('Start', [
  {
    what: 'from the start of the process to listening, ms (median of 7)',
    measured: median(times).toFixed(0),
    bound: '≤ 300',
    holds: median(times) <= 300,
  },
  {
    what: 'resident memory, idle, MiB',
    measured: resident.toFixed(0),
    bound: '< 110',
    holds: resident < 110,
  },
  {
    what: 'one call of the command line, ms (median of 7)',
    measured: median(calls).toFixed(0),
    bound: '≤ 200',
    holds: median(calls) <= 200,
  },
])

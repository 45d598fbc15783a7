/** Many idle, simulated farms in one process (`serve --farms`): the memory and processor time of each further one. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { printTable } from './measure.ts'

const at = (path: string) => new URL(`../${path}`, import.meta.url).pathname
const most = 100
/** Milliseconds after which the memory of the start is returned. */
const settled = 15_000

/** Starts so many farms in one process, as `npm run serve` does. @returns once all listen */
async function start(farms: number) {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-bench-'))
  for (let farm = 0; farm < farms; farm += 1)
    writeFileSync(join(folder, `farm${farm}.env`), `API_PORT=0\nAPI_KEY=a-key-for-the-measurement-${farm}\n`)
  const env = { API_HOST: '127.0.0.1', DATA_DIR: join(folder, 'data'), LOG_FORMAT: 'json' }
  const began = performance.now()
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=8',
      '--max-old-space-size=768',
      at('runtime/launch.cjs'),
      at('runtime/node/serve.ts'),
      '--farms',
      folder,
    ],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let listening = 0
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    listening += String(chunk).split('"listening"').length - 1
    if (listening === farms) break
  }
  return { child, folder, listensAfter: (performance.now() - began) / 1000 }
}

/** Resident MiB and processor seconds of another process (Linux). */
function used({ pid }: ChildProcess) {
  const [, kB] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return { memory: Number(kB) / 1024, seconds: (Number(fields[11]) + Number(fields[12])) / 100 }
}

/** Idles a while. @returns its memory, and its share of a core */
async function idle(farms: number) {
  const { child, folder, listensAfter } = await start(farms)
  const startSeconds = used(child).seconds
  await delay(settled)
  const before = used(child)
  await delay(settled)
  const after = used(child)
  child.kill()
  await once(child, 'exit')
  rmSync(folder, { recursive: true })
  const share = (after.seconds - before.seconds) / (settled / 1000)
  return { listensAfter, startSeconds, memory: after.memory, share }
}

// Without it the sources would be measured.
spawnSync(process.execPath, [at('deploy/programs/build.ts')], { stdio: 'inherit' })
await idle(1)
const one = await idle(1)
const all = await idle(most)
const further = (all.memory - one.memory) / (most - 1)
printTable('Farms in one process', [
  {
    what: `resident memory of each further idle farm, ${most} in all, MiB`,
    measured: `${further.toFixed(1)} (one: ${one.memory.toFixed(0)}, all: ${all.memory.toFixed(0)})`,
    bound: '≤ 6',
    holds: further <= 6,
  },
  {
    what: `processor time of each further idle farm, share of a core`,
    measured: `${(((all.share - one.share) / (most - 1)) * 100).toFixed(2)} %`,
  },
  {
    what: `until all ${most} listen, s`,
    measured: `${all.listensAfter.toFixed(1)}, of which ${all.startSeconds.toFixed(1)} is processor time`,
  },
])

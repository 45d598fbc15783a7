import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Platform, startPlatform } from '../test/platform/platform.ts'
import { printTable, type Row } from './measure.ts'

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))
/** As `npm run ticket` and the image start it. */
const program = ['--max-semi-space-size=2', at('runtime/launch.cjs'), at('ticket/main.ts')]
/** Milliseconds until memory is measured; the service returns that of its start before. */
const settle = 8000
/** Milliseconds for a first answer. */
const patience = 60_000

/**
 * Measures a `serve` process on the stand-in platform: its start, its answers, many concurrent callers, its idle
 * memory.
 */
async function measureTicketService(): Promise<readonly Row[]> {
  const platform = await startPlatform()
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'ticket-bench-'))
  const token = platform.token(
    platform.book.add({ name: 'junimo', password: 'x', steamId: '76561198000000001', code: 'x', email: 'x' }),
  )
  // The marker of a complete installation, so that the service downloads nothing.
  mkdirSync(join(folder, 'game'))
  writeFileSync(join(folder, 'game', '.download-manifest-413150'), '{}')
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  await warmCompileCache(platform, folder, port, token)
  const waiting = await notSignedIn(platform, folder, port, agent)
  const requestsBefore = platform.count('ClientRequestEncryptedAppTicket')
  const began = performance.now()
  const child = spawn(process.execPath, [...program, 'serve'], {
    stdio: 'ignore',
    env: { ...environmentOf(platform, folder, port), PLATFORM_REFRESH_TOKEN: token },
  })
  try {
    const firstHealth = await untilOk('/health', { port, agent }).then(() => performance.now() - began)
    // Measured during the loading of the library and the logon, and again after both.
    const loading = await timings('/health', 200, { port, agent })
    await untilOk('/steam/app-ticket', { port, agent })
    await new Promise((resolve) => setTimeout(resolve, settle))
    const idle = residentMegabytes(child.pid)
    const healthy = await timings('/health', 1000, { port, agent })
    const cached = await timings('/steam/app-ticket', 1000, { port, agent })
    const together = performance.now()
    await Promise.all(Array.from({ length: 1000 }, () => ask('/platform/app-ticket', { port, agent })))
    const burst = performance.now() - together
    const requests = platform.count('ClientRequestEncryptedAppTicket') - requestsBefore
    await new Promise((resolve) => setTimeout(resolve, settle))
    const later = residentMegabytes(child.pid)
    return [
      row('first answer of /health after process start', firstHealth, 1000, 'ms'),
      row('/health while the library loads, median', quantile(loading, 0.5), 5, 'ms'),
      row('/health while the library loads, p95', quantile(loading, 0.95), 5, 'ms'),
      row('/health when logged on, median', quantile(healthy, 0.5), 5, 'ms'),
      row('/health when logged on, p95', quantile(healthy, 0.95), 5, 'ms'),
      row('cached ticket, median', quantile(cached, 0.5), 2, 'ms'),
      row('cached ticket, p95', quantile(cached, 0.95), 2, 'ms'),
      row('1000 callers at once, all answered after', burst, 1000, 'ms'),
      row('platform requests for all of them', requests, 1, ''),
      {
        ...row('resident memory, not signed in and idle', waiting, 85, 'MB'),
        goal: '≤ 70',
        limit: 'Node with a server, Response and a thread: 74',
      },
      row('resident memory, logged on and idle', idle, 150, 'MB'),
      row('resident memory after 3,200 requests', later, 150, 'MB'),
    ]
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.on('exit', resolve))
    agent.destroy()
    await platform.close()
    rmSync(folder, { recursive: true })
  }
}

/** Idle without an account, such as while the first sign-in is awaited. @returns megabytes */
async function notSignedIn(platform: Platform, folder: string, port: number, agent: Agent): Promise<number> {
  const child = spawn(process.execPath, [...program, 'serve'], {
    stdio: 'ignore',
    env: environmentOf(platform, folder, port),
  })
  await untilOk('/health', { port, agent })
  await new Promise((resolve) => setTimeout(resolve, settle))
  const resident = residentMegabytes(child.pid)
  child.kill('SIGTERM')
  await new Promise((resolve) => child.on('exit', resolve))
  return resident
}

/** Runs the command `ticket` once, so that its compiled code is cached, as it is in the image (ticket/Dockerfile). */
async function warmCompileCache(
  platform: Platform,
  folder: string,
  port: number,
  token: string,
): Promise<void> {
  const child = spawn(process.execPath, [...program, 'ticket'], {
    stdio: 'ignore',
    env: { ...environmentOf(platform, folder, port), PLATFORM_REFRESH_TOKEN: token },
  })
  await new Promise((resolve) => child.on('exit', resolve))
}

function environmentOf(platform: Platform, folder: string, port: number): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    PORT: String(port),
    HOST: '127.0.0.1',
    SESSION_DIR: join(folder, 'session'),
    GAME_DIR: join(folder, 'game'),
    PLATFORM_PROXY: platform.proxyUrl,
    NODE_EXTRA_CA_CERTS: platform.certificateFile,
    // As in the image.
    MALLOC_ARENA_MAX: '2',
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  }
}

/** The port of the service, and the agent that keeps its connections. */
interface Target {
  readonly port: number
  readonly agent: Agent
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

function ask(path: string, to: Target): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', path, ...to }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    }).on('error', reject)
  })
}

async function untilOk(path: string, to: Target): Promise<void> {
  const end = performance.now() + patience
  while (performance.now() < end) {
    const status = await ask(path, to).catch(() => 0)
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`${path} did not answer within ${patience / 1000} s`)
}

async function timings(path: string, times: number, to: Target): Promise<number[]> {
  const taken: number[] = []
  for (let i = 0; i < times; i++) {
    const before = performance.now()
    await ask(path, to)
    taken.push(performance.now() - before)
  }
  return taken.sort((a, b) => a - b)
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}

function residentMegabytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1_000_000
}

const row = (what: string, value: number, most: number, unit: string): Row => ({
  what,
  measured: `${value.toFixed(value < 100 ? 2 : 0)} ${unit}`.trim(),
  bound: `≤ ${most} ${unit}`.trim(),
  holds: value <= most,
})

// Without it the sources would be measured.
spawnSync(process.execPath, [at('deploy/programs/build.ts')], { stdio: 'inherit' })
printTable('Ticket service', await measureTicketService())

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Platform, startPlatform } from '../test/platform/platform.ts'

/** A measured number and its limit. */
export interface Measurement {
  readonly name: string
  readonly value: number
  readonly limit: number
  readonly unit: string
}

const main = fileURLToPath(new URL('../ticket/main.ts', import.meta.url))
const SETTLE = 5000

/**
 * Measures a `serve` process on the stand-in platform: its start, its answers, many concurrent callers, its idle
 * memory.
 */
export async function measureTicketService(): Promise<readonly Measurement[]> {
  const platform = await startPlatform()
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'ticket-bench-'))
  const token = platform.token(
    platform.book.add({ name: 'junimo', password: 'x', steamId: '76561198000000001', code: 'x', email: 'x' }),
  )
  // The marker of a complete installation, so that the service downloads nothing.
  writeFileSync(join(folder, '.download-manifest-413150'), '{}')
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  await warmCompileCache(platform, folder, port, token)
  const requestsBefore = platform.count('ClientRequestEncryptedAppTicket')
  const began = performance.now()
  const child = spawn(process.execPath, [main, 'serve'], {
    stdio: 'ignore',
    env: { ...environmentOf(platform, folder, port), PLATFORM_REFRESH_TOKEN: token },
  })
  try {
    const firstHealth = await untilOk('/health', { port, agent }).then(() => performance.now() - began)
    // Measured during the loading of the library and the logon, and again after both.
    const loading = await timings('/health', 200, { port, agent })
    await untilOk('/steam/app-ticket', { port, agent })
    await new Promise((resolve) => setTimeout(resolve, SETTLE))
    const idle = residentMegabytes(child.pid)
    const healthy = await timings('/health', 1000, { port, agent })
    const cached = await timings('/steam/app-ticket', 1000, { port, agent })
    const together = performance.now()
    await Promise.all(Array.from({ length: 1000 }, () => ask('/platform/app-ticket', { port, agent })))
    const burst = performance.now() - together
    const requests = platform.count('ClientRequestEncryptedAppTicket') - requestsBefore
    await new Promise((resolve) => setTimeout(resolve, SETTLE))
    return [
      { name: 'first answer of /health after process start', value: firstHealth, limit: 1000, unit: 'ms' },
      {
        name: '/health while the library loads, median',
        value: quantile(loading, 0.5),
        limit: 5,
        unit: 'ms',
      },
      { name: '/health while the library loads, p95', value: quantile(loading, 0.95), limit: 5, unit: 'ms' },
      { name: '/health when logged on, median', value: quantile(healthy, 0.5), limit: 5, unit: 'ms' },
      { name: '/health when logged on, p95', value: quantile(healthy, 0.95), limit: 5, unit: 'ms' },
      { name: 'cached ticket, median', value: quantile(cached, 0.5), limit: 2, unit: 'ms' },
      { name: 'cached ticket, p95', value: quantile(cached, 0.95), limit: 2, unit: 'ms' },
      { name: '1000 callers at once, all answered after', value: burst, limit: 1000, unit: 'ms' },
      {
        name: 'platform requests for all of them',
        value: requests,
        limit: 1,
        unit: '',
      },
      { name: 'resident memory, logged on and idle', value: idle, limit: 220, unit: 'MB' },
      {
        name: 'resident memory after 3 200 requests',
        value: residentMegabytes(child.pid),
        limit: 220,
        unit: 'MB',
      },
    ]
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.on('exit', resolve))
    agent.destroy()
    await platform.close()
    rmSync(folder, { recursive: true })
  }
}

/** Runs the command `ticket` once, so that its compiled code is cached, as it is in the image (ticket/Dockerfile). */
async function warmCompileCache(
  platform: Platform,
  folder: string,
  port: number,
  token: string,
): Promise<void> {
  const child = spawn(process.execPath, [main, 'ticket'], {
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
    SESSION_DIR: folder,
    GAME_DIR: folder,
    PLATFORM_PROXY: platform.proxyUrl,
    NODE_EXTRA_CA_CERTS: platform.certificateFile,
    // As in the image.
    NODE_OPTIONS: '--max-semi-space-size=2',
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
  for (;;) {
    const status = await ask(path, to).catch(() => 0)
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
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

if (import.meta.main) {
  const rows = (await measureTicketService()).map(({ name, value, limit, unit }) => ({
    measured: name,
    value: `${value.toFixed(value < 100 ? 2 : 0)} ${unit}`,
    limit: `${limit} ${unit}`,
    holds: value <= limit,
  }))
  console.table(rows)
}

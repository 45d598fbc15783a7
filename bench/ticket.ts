import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Platform, startPlatform } from '../test/platform/platform.ts'

/** One measured number and the limit that it is held against. */
export interface Measurement {
  readonly name: string
  readonly value: number
  readonly limit: number
  readonly unit: string
}

const main = fileURLToPath(new URL('../ticket/main.ts', import.meta.url))
const PORT = 38_471

/** Measures a `serve` process against the platform stand-in: start, answers, callers at once, memory when idle. */
export async function measureTicketService(): Promise<readonly Measurement[]> {
  const platform = await startPlatform()
  const folder = mkdtempSync(join(tmpdir(), 'ticket-bench-'))
  const token = platform.token(
    platform.book.add({ name: 'junimo', password: 'x', steamId: '76561198000000001', code: 'x', email: 'x' }),
  )
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const began = performance.now()
  const child = spawn(process.execPath, [main, 'serve'], {
    stdio: 'ignore',
    env: { ...environmentOf(platform, folder), PLATFORM_REFRESH_TOKEN: token },
  })
  try {
    const firstHealth = await untilOk('/health', agent).then(() => performance.now() - began)
    // While the library loads and the logon is under way, then again when both are done.
    const loading = await timings('/health', 200, agent)
    await untilOk('/steam/app-ticket', agent)
    const healthy = await timings('/health', 1000, agent)
    const cached = await timings('/steam/app-ticket', 1000, agent)
    const before = platform.count('ClientRequestEncryptedAppTicket')
    const together = performance.now()
    await Promise.all(Array.from({ length: 1000 }, () => ask('/platform/app-ticket', agent)))
    const burst = performance.now() - together
    const asked = platform.count('ClientRequestEncryptedAppTicket') - before
    const first = platform.count('ClientRequestEncryptedAppTicket')
    await new Promise((resolve) => setTimeout(resolve, 10_000))
    return [
      { name: 'first answer of /health after process start', value: firstHealth, limit: 1000, unit: 'ms' },
      { name: '/health while the library loads, p99', value: quantile(loading, 0.99), limit: 5, unit: 'ms' },
      { name: '/health when logged on, p99', value: quantile(healthy, 0.99), limit: 5, unit: 'ms' },
      { name: 'cached ticket, median', value: quantile(cached, 0.5), limit: 2, unit: 'ms' },
      { name: 'cached ticket, p99', value: quantile(cached, 0.99), limit: 2, unit: 'ms' },
      { name: '1000 callers at once, all answered after', value: burst, limit: 1000, unit: 'ms' },
      {
        name: 'platform requests for all of them',
        value: asked === 0 ? first : asked + first,
        limit: 1,
        unit: '',
      },
      { name: 'resident memory when idle', value: residentMegabytes(child.pid), limit: 220, unit: 'MB' },
    ]
  } finally {
    child.kill('SIGTERM')
    await new Promise((resolve) => child.on('exit', resolve))
    agent.destroy()
    await platform.close()
    rmSync(folder, { recursive: true })
  }
}

function environmentOf(platform: Platform, folder: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    PORT: String(PORT),
    HOST: '127.0.0.1',
    SESSION_DIR: folder,
    GAME_DIR: folder,
    PLATFORM_PROXY: platform.proxyUrl,
    NODE_EXTRA_CA_CERTS: platform.certificateFile,
    ...(process.env.NODE_OPTIONS ? { NODE_OPTIONS: process.env.NODE_OPTIONS } : {}),
  }
}

function ask(path: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: PORT, path, agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    }).on('error', reject)
  })
}

async function untilOk(path: string, agent: Agent): Promise<void> {
  for (;;) {
    const status = await ask(path, agent).catch(() => 0)
    if (status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function timings(path: string, times: number, agent: Agent): Promise<number[]> {
  const taken: number[] = []
  for (let i = 0; i < times; i++) {
    const before = performance.now()
    await ask(path, agent)
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

/** `npm run serve` as a process of its own, whose memory, descriptors and log are watched (Linux). */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

export interface Farmgate {
  readonly url: string
  readonly wsUrl: string
  readonly port: number
  /** Bytes that it has logged. */
  logged(): number
  /** Lines of the level `error`, and everything on stderr. */
  readonly errors: readonly string[]
  /** Resident memory in bytes. */
  memory(): number
  descriptors(): number
  send(message: number): void
  signal(name: NodeJS.Signals): void
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Ends it at once. */
  kill(): Promise<void>
}

/**
 * Starts it on a free port of loopback.
 * @param preload a module that is loaded before everything else
 */
export async function startFarmgate(env: Readonly<Record<string, string>>, preload?: URL): Promise<Farmgate> {
  const args = preload === undefined ? [] : ['--import', preload.href]
  const child = spawn(process.execPath, [...args, 'runtime/node/serve.ts'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: mkdtempSync(join(tmpdir(), 'farmgate-soak-')),
      API_PORT: '0',
      API_HOST: '127.0.0.1',
      LOG_FORMAT: 'json',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { pid, stdout, stderr } = child
  if (pid === undefined || stdout === null || stderr === null) throw new Error('the process did not start')
  const errors: string[] = []
  let bytes = 0
  let begin = ''
  const listening = Promise.withResolvers<string>()
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, signal) => {
      listening.reject(new Error(`it ended: ${begin}${errors.join('')}`))
      resolve({ code, signal })
    }),
  )
  listening.promise.catch(() => undefined)
  stdout.setEncoding('utf8').on('data', (text: string) => {
    bytes += Buffer.byteLength(text)
    if (begin.length < 20_000) begin += text
    const [, url] = /"url":"(http:[^"]+)"/.exec(begin) ?? []
    if (url !== undefined) listening.resolve(url)
    errors.push(...(text.match(/^\{"level":"?(?:50|error|60|fatal)\b.*$/gm) ?? []))
  })
  stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  const url = await listening.promise
  return {
    url,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    port: Number(new URL(url).port),
    logged: () => bytes,
    errors,
    memory: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024,
    descriptors: () => readdirSync(`/proc/${pid}/fd`).length,
    send: (message) => void child.send(message),
    signal: (name) => void child.kill(name),
    exited,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** A server as a separate process, whose memory, descriptors and log are watched (Linux). */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface ServerProcess {
  readonly url: string
  readonly port: number
  /** Bytes of its log. */
  logged(): number
  /** Lines of the level `error`, and everything on the stream that is not its log. */
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

export interface ServerOptions {
  /** The arguments of `node`. */
  readonly args: readonly string[]
  /** The whole environment, except `PATH`. */
  readonly env: Readonly<Record<string, string>>
  /** The stream on which it logs JSON lines. */
  readonly log: 'stdout' | 'stderr'
  /** The log line with its port as the group. */
  readonly listening: RegExp
}

/** Starts it and waits until it listens on a port of loopback. */
export async function startServer({ args, env, log, listening }: ServerOptions): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const { pid, stdout, stderr } = child
  if (pid === undefined || stdout === null || stderr === null) throw new Error('the process did not start')
  const errors: string[] = []
  let bytes = 0
  let begin = ''
  const found = Promise.withResolvers<number>()
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, signal) => {
      found.reject(new Error(`it ended: ${begin}${errors.join('')}`))
      resolve({ code, signal })
    }),
  )
  found.promise.catch(() => undefined)
  const [lines, other] = log === 'stdout' ? [stdout, stderr] : [stderr, stdout]
  lines.setEncoding('utf8').on('data', (text: string) => {
    bytes += Buffer.byteLength(text)
    if (begin.length < 20_000) begin += text
    const [, port] = listening.exec(begin) ?? []
    if (port !== undefined) found.resolve(Number(port))
    errors.push(...(text.match(/^\{"level":"?(?:50|error|60|fatal)\b.*$/gm) ?? []))
  })
  other.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  const port = await found.promise
  return {
    url: `http://127.0.0.1:${port}`,
    port,
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

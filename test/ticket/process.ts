import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { inherited } from '../inherited.ts'
import type { Platform } from '../platform/platform.ts'
import { programs } from '../programs.ts'
import { eventually } from '../wait.ts'

/** The result of a finished process. */
export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A running process. */
export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  stdout(): string
  stderr(): string
  readonly finished: Promise<Finished>
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

/** @returns the environment of a process that reaches only the stand-in. */
export function environmentOf(platform: Platform, more: Record<string, string>): Record<string, string> {
  return {
    ...inherited,
    PLATFORM_PROXY: platform.proxyUrl,
    NODE_EXTRA_CA_CERTS: platform.certificateFile,
    ...more,
  }
}

/** Starts `ticket <args>` as a separate process. Its input stays open until it is ended. */
export function start(args: readonly string[], environment: Record<string, string>): Running {
  const child = spawn(process.execPath, [programs.ticket, ...args], { env: environment })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (data) => {
    stdout += data
  })
  child.stderr.on('data', (data) => {
    stderr += data
  })
  child.stdin.on('error', () => undefined)
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    finished,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return finished
    },
  }
}

/** Runs `ticket <args>` to its end with an input. */
export function run(
  args: readonly string[],
  environment: Record<string, string>,
  input = '',
): Promise<Finished> {
  const running = start(args, environment)
  running.child.stdin.end(input)
  return running.finished
}

/** A `serve` that listens. */
export interface Served extends Running {
  readonly base: string
}

/** Starts `serve` on a free port and waits until it listens. */
export async function serve(environment: Record<string, string>): Promise<Served> {
  const running = start(['serve'], { PORT: '0', HOST: '127.0.0.1', ...environment })
  const port = () => /Listening on port (\d+)/.exec(running.stderr())?.[1]
  await eventually(() => port() !== undefined || running.child.exitCode !== null)
  if (port() === undefined) throw new Error(running.stderr())
  return { ...running, base: `http://127.0.0.1:${port()}` }
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { shellJobControl } from '../../lib/terminal/job-control.ts'
import { commandLine } from '../../ticket/command-line.ts'
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

/** Runs `ticket <args>` to its end as a separate process. */
export function runProcess(
  args: readonly string[],
  environment: Record<string, string>,
  input = '',
): Promise<Finished> {
  const running = start(args, environment)
  running.child.stdin.end(input)
  return running.finished
}

/**
 * Runs `ticket <args>` to its end with an input, in this process: a start costs far more than most commands.
 * A download needs `plainContent`.
 */
export async function run(
  args: readonly string[],
  environment: Record<string, string>,
  input = '',
): Promise<Finished> {
  let [stdout, stderr] = ['', '']
  const output = new PassThrough()
  output.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const interrupt = () => undefined
  const { run: toItsEnd } = commandLine({
    args,
    environment,
    terminal: { input: Readable.from(input), output, jobControl: shellJobControl, interrupt },
    colours: false,
    async result(text) {
      stdout += text
    },
    writeLog: (line) => void output.write(line),
    signal: new AbortController().signal,
  })
  const code = await toItsEnd()
  output.end()
  await finished(output)
  return { code, stdout, stderr }
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

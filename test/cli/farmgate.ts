/** `farmgate <command>`: in this process, as a separate one with pipes, and in a terminal. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { spawn as spawnInTerminal } from '@lydell/node-pty'
import { expect, onTestFinished } from 'vitest'
import { runProgram } from '../../cli/program.ts'
import { contextOf } from '../../cli/start.ts'
import { inherited } from '../inherited.ts'
import { newFolder } from '../new-folder.ts'
import { programs } from '../programs.ts'
import { eventually } from '../wait.ts'

const main = programs.commandLine
const inTurn = fileURLToPath(new URL('in-turn.ts', import.meta.url))

/** Undefined members are omitted. */
export type Variables = Readonly<Record<string, string | undefined>>

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** An environment without a saved profile; nothing else is inherited. */
function environment(more: Variables = {}): Record<string, string> {
  const given = {
    ...inherited,
    XDG_CONFIG_HOME: newFolder(),
    TERM: 'xterm-256color',
    ...more,
  }
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

export { newFolder }

/** The variables that name a server. */
export const at = (server: { readonly url: string; readonly key: string }): Variables => ({
  FARMGATE_URL: server.url,
  FARMGATE_KEY: server.key,
})

/** Runs a command to its end in this process, with that text on its standard input. @param cwd a separate process there */
export async function run(
  args: readonly string[],
  variables: Variables = {},
  input = '',
  cwd?: string,
): Promise<Finished> {
  if (cwd !== undefined) {
    const running = start(args, variables, main, cwd)
    running.child.stdin.end(input)
    return running.finished
  }
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const around = { env: environment(variables), stdin: Readable.from([input]), stdout, stderr, on() {} }
  const code = await runProgram(
    args,
    contextOf(around, () => expect.unreachable('not in this process')),
  )
  stdout.end()
  stderr.end()
  return { code, stdout: await text(stdout), stderr: await text(stderr) }
}

interface Running {
  readonly child: ChildProcessWithoutNullStreams
  stdout(): string
  stderr(): string
  readonly finished: Promise<Finished>
}

/** Starts a command; its input stays open. */
export function start(
  args: readonly string[],
  variables: Variables = {},
  program = main,
  cwd?: string,
): Running {
  const child = spawn(process.execPath, [program, ...args], { env: environment(variables), cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    finished: new Promise((resolve) =>
      child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr })),
    ),
  }
}

/** Runs several commands one after another in this process. */
export async function runInTurn(
  commands: readonly (readonly string[])[],
  variables: Variables = {},
): Promise<readonly Finished[]> {
  const finished: Finished[] = []
  for (const args of commands) finished.push(await run(args, variables))
  return finished
}

interface InTerminal {
  /** Everything on the terminal so far. */
  screen(): string
  type(keys: string): void
  /** Waits until the terminal shows it. */
  sees(text: string | RegExp): Promise<void>
  readonly exit: Promise<number>
}

/** Runs several commands one after another in one process, in its own terminal. @returns what each has shown */
export async function inTerminalInTurn(
  commands: readonly (readonly string[])[],
  variables: Variables = {},
  columns = 100,
): Promise<readonly { readonly code: number; readonly screen: string }[]> {
  const terminal = inTerminal([JSON.stringify(commands)], variables, columns, inTurn)
  await terminal.exit
  const shown = terminal.screen().split('\x1e')
  // Both streams share the terminal: the mark on stderr comes first, then that on stdout and the exit code, then the
  // next command.
  return commands.map((_, at) => ({ code: Number(shown[3 * at + 2] ?? -1), screen: shown[3 * at] ?? '' }))
}

/** Starts a command in its own terminal. */
export function inTerminal(
  args: readonly string[],
  variables: Variables = {},
  columns = 100,
  program = main,
  cwd?: string,
): InTerminal {
  const env = environment(variables)
  const pty = spawnInTerminal(process.execPath, [program, ...args], {
    env,
    cols: columns,
    rows: 30,
    name: env['TERM'] ?? 'xterm',
    ...(cwd !== undefined && { cwd }),
  })
  let hasEnded = false
  onTestFinished(() => void (hasEnded || pty.kill('SIGKILL')))
  let screen = ''
  pty.onData((text) => {
    screen += text
  })
  const exit = new Promise<number>((resolve) =>
    pty.onExit(({ exitCode }) => {
      hasEnded = true
      resolve(exitCode)
    }),
  )
  return {
    screen: () => screen,
    type: (keys) => pty.write(keys),
    async sees(text) {
      await eventually(() => {
        const isThere = typeof text === 'string' ? screen.includes(text) : text.test(screen)
        if (!isThere) throw new Error(`not seen yet: ${text} in ${JSON.stringify(screen)}`)
      })
    },
    exit,
  }
}

/** A command, run as the operator runs it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { eventually } from '../wait.ts'

export interface Command {
  /** Its output so far. */
  readonly output: () => string
  /** Waits until the output matches. @returns the pattern's first group */
  said(pattern: RegExp): Promise<string>
  /** Ctrl-C to the command and its children. */
  stop(): Promise<void>
  /** SIGKILL to the same. */
  kill(): Promise<void>
}

/** @param env all of it: nothing is inherited */
export function command(
  line: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = fileURLToPath(new URL('../../', import.meta.url)),
): Command {
  const [name = '', ...args] = line
  const child: ChildProcess = spawn(name, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate group, as in a terminal: npm and its child end together.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    const ended = once(child, 'exit')
    process.kill(-child.pid, signal)
    await ended
  }
  return {
    output: () => output,
    said: (pattern) =>
      eventually(() => {
        const [, found] = pattern.exec(output) ?? []
        if (found === undefined) throw new Error(`not said yet: ${pattern} in ${output}`)
        return found
      }),
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
  }
}

/** The command lines of all processes of this machine (Linux). */
export const commandLines = (): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8')
      } catch {
        // It has ended.
        return ''
      }
    })

/** Looks at every process in whose environment this variable is, until it is stopped (Linux). */
export function watchProcesses(variable: string) {
  const found = new Map<string, readonly string[]>()
  const look = () => {
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        const variables = readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').filter(Boolean)
        if (variables.includes(variable)) found.set(readFileSync(`/proc/${id}/cmdline`, 'utf8'), variables)
      } catch {
        // It has ended, or is another user's.
      }
  }
  const timer = setInterval(look, 20)
  return {
    stop: () => clearInterval(timer),
    /** The variables of the processes whose command line matches. */
    environments: (line: RegExp): readonly string[] =>
      [...found].flatMap(([command, variables]) => (line.test(command) ? variables : [])),
  }
}

import { spawn } from 'node:child_process'

/** The result of a finished process. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, or kills it at its first output. */
export function spawnOf(
  args: readonly string[],
  environment: Record<string, string> = {},
  program = process.execPath,
  kill?: NodeJS.Signals,
): Promise<Ended> {
  const running = spawn(program, args, { env: { PATH: process.env.PATH ?? '', ...environment } })
  let stdout = ''
  let stderr = ''
  running.stdout.on('data', (text) => {
    stdout += text
    if (kill !== undefined) running.kill(kill)
  })
  running.stderr.on('data', (text) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    running.on('error', reject)
    running.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
}

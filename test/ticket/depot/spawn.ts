import { spawn } from 'node:child_process'

/** The result of a finished process. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs Node.js to its end. */
export function spawnOf(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const running = spawn(process.execPath, args, { env: { PATH: process.env.PATH ?? '', ...environment } })
  let stdout = ''
  let stderr = ''
  running.stdout.on('data', (text) => {
    stdout += text
  })
  running.stderr.on('data', (text) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    running.on('error', reject)
    running.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

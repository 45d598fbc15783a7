/** farmgate as a real process, by its entry files or through npm. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { inherited } from '../../inherited.ts'
import { programs } from '../../programs.ts'
import { eventually } from '../../wait.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface FarmgateProcess {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  /** Waits until the output has it. */
  said(words: RegExp): Promise<RegExpExecArray>
  /** Signals the whole group, as a terminal does. */
  signal(name: NodeJS.Signals): void
}

/**
 * Starts a command in the project's folder and a separate process group, which ends with the test. @param env its whole
 * environment, to which only this process's PATH is added
 */
export async function launch(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>> = {},
): Promise<FarmgateProcess> {
  const home = await mkdtemp(join(tmpdir(), 'farmgate-'))
  const [file, ...args] = command
  const child = spawn(file, args, {
    cwd: root,
    detached: true,
    env: {
      ...inherited,
      HOME: home,
      npm_config_update_notifier: 'false',
      DATA_DIR: join(home, 'data'),
      ...env,
    },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal })),
  )
  const signal = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // It has already ended.
    }
  }
  onTestFinished(async () => {
    signal('SIGKILL')
    await rm(home, { recursive: true, force: true })
  })
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    signal,
    said: (words) =>
      eventually(() => {
        const found = words.exec(stdout + stderr)
        if (found === null) throw new Error(`not said yet: ${words}\n${stdout}\n${stderr}`)
        return found
      }),
  }
}

/** The entry of `npm run serve`, without npm around it. */
export const serve = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  launch([process.execPath, programs.serve, ...args], env)

/** Starts `serve` on a free port of loopback. @returns the process and its address once it listens */
export const serving = (env: Readonly<Record<string, string>>) =>
  listening([process.execPath, programs.serve], env)

/** As `serving`. @param command that runs `serve` */
export async function listening(
  command: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
) {
  const farmgate = await launch(command, {
    API_PORT: '0',
    API_HOST: '127.0.0.1',
    SIM_SEED: 'process',
    ...env,
  })
  const [, url = ''] = await farmgate.said(/"url":"(http:[^"]+)"/)
  return { ...farmgate, url, wsUrl: `${url.replace('http', 'ws')}/ws` }
}

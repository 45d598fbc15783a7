/** The Worker in its own workerd behind the shell, with the configuration of `npm run edge:serve` but without its launcher. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import * as v from 'valibot'
import { systemClock } from '../../lib/clock.ts'
import { readJson } from '../../lib/json.ts'
import { readSettings } from '../../own-edge/bundle.ts'
import { listening, workerdProgram } from '../../own-edge/instance.ts'
import { openShell } from '../../own-edge/shell/open-shell.ts'
import { workerdConfig } from '../../own-edge/workerd-config.ts'
import { inherited } from '../inherited.ts'
import { silent } from '../logs.ts'

export interface Edge {
  /** Without a trailing slash. */
  readonly url: string
  stop(): Promise<void>
}

/** Variables of a Worker without rate limits. */
export const unlimited = {
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
  RATE_LIMIT_ANONYMOUS: '0',
  RATE_LIMIT_FAILED_KEYS: '0',
}

const logged = v.looseObject({ message: v.string() })

/**
 * @param bundle the folder of the whole bundle @param vars secrets and limits @param onLog gets the log lines of the
 * Worker @param addressLimit requests of an address that the Worker accepts in a minute; all tests use the same address
 */
export async function startEdge(
  bundle: string,
  vars: Readonly<Record<string, string>>,
  onLog: (line: string) => void = () => undefined,
  addressLimit = 1_000_000,
): Promise<Edge> {
  const program = workerdProgram()
  if (program === undefined) throw new Error('no workerd for this machine')
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-workerd-'))
  const objects = join(folder, 'objects')
  mkdirSync(objects)
  const file = join(folder, 'config.capnp')
  const socketPath = join(folder, 'http')
  const workerEnv = { LOG_LEVEL: 'silent', ...vars }
  const settings = readSettings(bundle)
  writeFileSync(
    file,
    workerdConfig(
      {
        objects,
        workerEnv,
        cluster: undefined,
      },
      { ...settings, limits: { ...settings.limits, ADDRESS_LIMIT: { limit: addressLimit, period: 60 } } },
      { bundle, peers: '', socketPath, timeDivisor: 1 },
    ),
  )
  const child = spawn(
    program.file,
    [...program.args, 'serve', '--experimental', '--control-fd=3', `--import-path=${bundle}`, file],
    { env: { ...inherited, ...workerEnv }, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] },
  )
  const [, output, errors, control] = child.stdio
  const lines = (stream: unknown, take: (line: string) => void) =>
    createInterface({ input: stream as Readable }).on('line', take)
  const said: string[] = []
  lines(errors, (line) => said.push(line))
  lines(output, (line) => {
    const whole = v.safeParse(logged, readJson(line))
    if (whole.success) onLog(whole.output.message)
  })
  await new Promise<void>((resolve, reject) => {
    lines(control, (line) => {
      if (v.is(listening, readJson(line))) resolve()
    })
    child.once('error', reject).once('close', () => reject(new Error(said.join('\n'))))
  })
  const shell = await openShell({
    listen: { host: '127.0.0.1', port: 0 },
    proxies: 0,
    socketPath,
    malformed: 0,
    clock: systemClock,
    log: silent,
  })
  return {
    url: `http://127.0.0.1:${shell.port}`,
    async stop() {
      await shell.close()
      await endProcess(child, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Ends a process, also one that has ended already. @returns when it has ended */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

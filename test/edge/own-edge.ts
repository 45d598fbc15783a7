/** `npm run edge:serve` with the bundle of the tests: its launcher and workerd, on a real port. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { bundled, readSettings } from '../../own-edge/bundle.ts'
import { inherited } from '../inherited.ts'
import { eventually } from '../wait.ts'
import { type Edge, endProcess } from './edge.ts'

export interface OwnEdge extends Edge {
  readonly launcher: ChildProcess
  /** The output of the launcher. */
  output(): string
}

export interface OwnEdgeOptions {
  /** A new folder that is removed at the end, unless given. */
  readonly state?: string
  readonly timeDivisor?: number
  /** Where it listens for the others of its cluster; `EDGE_CLUSTER_ADDRESS` unless given. */
  readonly peers?: string
  /** The folder of the bundle; that of the test run unless given. */
  readonly bundle?: string
  /** Requests of an address in a minute: all tests use the same address. */
  readonly addressLimit?: number
  /** Its `ulimit -n`; that of the test run unless given. */
  readonly descriptors?: number
}

/** @param vars its environment */
export async function startOwnEdge(
  vars: Readonly<Record<string, string>>,
  { state, timeDivisor = 1, peers, bundle: from, addressLimit = 1_000_000, descriptors }: OwnEdgeOptions = {},
): Promise<OwnEdge> {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-own-edge-'))
  const bundle = join(folder, 'bundle')
  cpSync(from ?? inject('edgeBundle'), bundle, { recursive: true, filter: (path) => !path.endsWith('.map') })
  const settings = readSettings(bundle)
  const ADDRESS_LIMIT = { limit: addressLimit, period: 60 }
  writeFileSync(
    join(bundle, bundled.settings),
    JSON.stringify({ ...settings, limits: { ...settings.limits, ADDRESS_LIMIT } }),
  )
  const launcher = spawn(
    'sh',
    [
      ...['-c', `${descriptors === undefined ? '' : `ulimit -n ${descriptors} && `}exec "$@"`, 'sh'],
      process.execPath,
      join(import.meta.dirname, 'own-instance.ts'),
      bundle,
      String(timeDivisor),
      ...(peers === undefined ? [] : [peers]),
    ],
    {
      env: {
        ...inherited,
        TMPDIR: folder,
        LOG_LEVEL: 'info',
        EDGE_LISTEN: '127.0.0.1:0',
        EDGE_STATE_DIR: state ?? join(folder, 'state'),
        ...vars,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [launcher.stdout, launcher.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const listening = eventually(() => {
    const [, found] = /"url":"([^"]+)".*"listening"/.exec(output) ?? []
    if (found === undefined) throw new Error(`not listening yet: ${output}`)
    return found
  })
  const url = await Promise.race([listening, once(launcher, 'exit')])
  if (typeof url !== 'string') throw new Error(`exit ${url[0]}: ${output}`)
  return {
    url,
    launcher,
    output: () => output,
    async stop() {
      await endProcess(launcher, 'SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The id of its workerd. */
export const workerdOf = ({ launcher }: OwnEdge): number =>
  Number(readFileSync(`/proc/${launcher.pid}/task/${launcher.pid}/children`, 'utf8').trim().split(' ')[0])

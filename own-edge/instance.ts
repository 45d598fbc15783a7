/** One instance of the edge on the operator's own machines. */

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { arch, hostname, platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import * as v from 'valibot'
import { childEnvironment } from '../lib/child-environment.ts'
import { systemClock } from '../lib/clock.ts'
import { type EnvironmentProblem, problemLines } from '../lib/environment.ts'
import { exitCodes } from '../lib/exit-codes.ts'
import { readForeign } from '../lib/foreign/read.ts'
import { hostProblem, listenProblem } from '../lib/listen-address.ts'
import { FolderInUse, lockFolder } from '../lib/shared-folder/folder-lock.ts'
import { returnStartMemory } from '../lib/start-memory.ts'
import { configOf } from '../runtime/edge/config.ts'
import { isInstanceReady } from '../runtime/edge/instance-ready.ts'
import { withoutBase } from '../runtime/http/target.ts'
import { createLog } from '../runtime/node/log.ts'
import { stopOnSignals } from '../runtime/node/shutdown.ts'
import { openBucketProxy } from './bucket-proxy.ts'
import { readSettings } from './bundle.ts'
import type { OwnEdgeConfig } from './config.ts'
import { keepProcess } from './keep-process.ts'
import { openShell } from './shell/open-shell.ts'
import { watchCluster } from './watch-cluster.ts'
import { handOver, workerdConfig } from './workerd-config.ts'
import { logLine } from './workerd-log.ts'

/** Milliseconds in which requests can finish when one instance stops; a cluster hands its objects over first. */
const stopWithin = { single: 3500, cluster: handOver + 1000 }
/** Maximum of bytes in the path of a socket, on Linux. */
const longestSocket = 107
/** Milliseconds for the WebSockets and the server, before and after that. */
const shellWithin = 1500
/** A message of workerd about a socket that listens. */
export const listening = v.object({ event: v.literal('listen'), socket: v.literal('http') })

interface ForTests {
  /** Divides the times of leases and hand-overs. */
  readonly timeDivisor?: number
  /** Where it listens for the others, when they reach it at `EDGE_CLUSTER_ADDRESS` through a stand-in of the network. */
  readonly peers?: string | undefined
}

/** @param bundle its folder */
export async function runInstance(
  config: OwnEdgeConfig,
  bundle: string,
  { timeDivisor = 1, peers }: ForTests = {},
): Promise<void> {
  const problem = await problemOf(config)
  if (problem !== undefined) return giveUp(problem.text, problem.code)
  const program = workerdProgram()
  if (program === undefined)
    return giveUp(`edge:serve needs Linux on x64 or ARM64, and "npm ci"; this is ${platform()} ${arch()}`, 1)

  const { listen, cluster } = config
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-edge-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'config.capnp')
  const socketPath = join(folder, 'http')
  if (Buffer.byteLength(socketPath) > longestSocket)
    return giveUp(
      problemLines([
        { variable: 'TMPDIR', problem: 'is too long for the path of a socket; use a shorter one' },
      ]),
      exitCodes.wrongEnvironment,
    )
  writeFileSync(
    file,
    workerdConfig(config, readSettings(bundle), {
      bundle,
      peers: peers ?? (cluster === undefined ? '' : await peerAddress(cluster.address)),
      socketPath,
      timeDivisor,
    }),
    { mode: 0o600 },
  )
  const log = await createLog({
    level: config.log.LOG_LEVEL,
    format: config.log.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json'),
  })
  const { proxies } = config
  const { basePath, rates } = configOf(config.workerEnv)
  const malformed = rates.anonymous
  const bucket =
    cluster === undefined
      ? undefined
      : await openBucketProxy(cluster.place, { env: process.env, clock: systemClock, log }).catch((error) =>
          giveUp(`cannot start: ${error.message}`, exitCodes.wrongEnvironment),
        )
  if (cluster !== undefined && bucket === undefined) return
  const watch = cluster === undefined ? undefined : watchCluster({ socketPath, clock: systemClock, log })
  const isUnready = (path: string) =>
    watch?.refuses() === true && isInstanceReady(withoutBase(path, basePath), config.workerEnv)
  const options = { listen, proxies, socketPath, malformed, isUnready, clock: systemClock, log }
  const shell = await openShell(options).catch((error) => {
    const variables = { host: 'EDGE_LISTEN', port: 'EDGE_LISTEN' }
    giveUp(`cannot start: ${listenProblem(error, listen, variables) ?? error.message}`, exitCodes.failed)
  })
  if (shell === undefined) {
    watch?.stop()
    bucket?.close()
    return
  }
  const url = `http://${listen.text.replace(/:\d+$/, `:${shell.port}`)}`
  const args = ['serve', '--experimental', '--control-fd=3', `--import-path=${bundle}`, file]
  const start = () => {
    rmSync(socketPath, { force: true })
    const child = spawn(program.file, [...program.args, ...args], {
      env: childEnvironment(process.env, { ...config.workerEnv, ...bucket?.env }),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    child.on('error', (error) => log.error({ cause: error.message }, 'workerd cannot be started'))
    const [, output, errors, events] = child.stdio
    for (const input of [output, errors])
      if (input instanceof Readable)
        createInterface({ input }).on('line', (line) => {
          logLine(log, line)
          watch?.said(line)
          if (needsConditionalWrites.test(line)) void refuseBucket()
        })
    if (events instanceof Readable)
      createInterface({ input: events }).on('line', (line) => {
        if (readForeign(listening, line) === undefined) return
        log.info({ url, ...(cluster !== undefined && { cluster: cluster.address.text }) }, 'listening')
      })
    return child
  }
  /** A restart would find the same bucket. */
  const refuseBucket = async () => {
    log.error({}, 'EDGE_BUCKET: the bucket does not carry out conditional writes; use one that does')
    await kept.stop(stopWithin.cluster)
    process.exit(exitCodes.wrongEnvironment)
  }
  const kept = keepProcess(systemClock, start, (how, wait) =>
    log.error({ ...how, wait: Math.round(wait) }, 'workerd has ended; it starts again'),
  )
  const within = cluster === undefined ? stopWithin.single : stopWithin.cluster
  stopOnSignals({
    stop: async () => {
      watch?.stop()
      await shell.restart()
      await kept.stop(within)
      await shell.close()
      bucket?.close()
      log.info({}, 'stopped')
    },
    exit: process.exit,
    monotonic: () => performance.now(),
    on: (signal, listener) => process.on(signal, listener),
    within,
    endsWithin: within + shellWithin,
  })
  returnStartMemory()
}

/** What workerd says of a bucket in which two instances could overwrite each other. */
const needsConditionalWrites =
  /the bucket (refused a conditional write|ignores conditional writes)|PUT \S+\.probe: 501 NotImplemented/

function giveUp(text: string, code: number): void {
  process.stderr.write(`${text.trimEnd()}\n`)
  process.exitCode = code
}

/** Why this instance cannot start here. */
async function problemOf({
  listen,
  objects,
}: OwnEdgeConfig): Promise<{ readonly text: string; readonly code: number } | undefined> {
  const environment = (problem: EnvironmentProblem) => ({
    text: problemLines([problem]),
    code: exitCodes.wrongEnvironment,
  })
  const host = await hostProblem('EDGE_LISTEN', listen.host)
  if (host !== undefined) return environment(host)
  try {
    mkdirSync(objects, { recursive: true, mode: 0o700 })
    lockFolder(objects, hostname())
    return undefined
  } catch (error) {
    if (error instanceof FolderInUse)
      return { text: `cannot start: ${error.message}`, code: exitCodes.wrongEnvironment }
    return environment({
      variable: 'EDGE_STATE_DIR',
      problem: `cannot be written (${error instanceof Error ? error.message : error})`,
    })
  }
}

/**
 * Where the instance listens for the others: at its address, or on every interface of a machine that does not have
 * this address itself (a container, NAT).
 */
async function peerAddress({ text, host, port }: OwnEdgeConfig['listen']): Promise<string> {
  return (await hostProblem('EDGE_CLUSTER_ADDRESS', host)) === undefined ? text : `0.0.0.0:${port}`
}

/**
 * The path of workerd. `setpriv`, where the machine has it, ends workerd with this process even when this one is
 * killed: otherwise the next start would find its port in use.
 */
export function workerdProgram(): { readonly file: string; readonly args: readonly string[] } | undefined {
  try {
    const file = fileURLToPath(
      import.meta.resolve(`@cloudflare/workerd-linux-${arch() === 'x64' ? '64' : arch()}/bin/workerd`),
    )
    const bound = ['--pdeathsig', 'KILL']
    const { status } = spawnSync('setpriv', [...bound, 'true'], {
      stdio: 'ignore',
      env: childEnvironment(process.env),
    })
    return status === 0 ? { file: 'setpriv', args: [...bound, file] } : { file, args: [] }
  } catch {
    return undefined
  }
}

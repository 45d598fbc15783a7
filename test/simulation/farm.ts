/** The farm's process: the parts of `runtime/node/run.ts` for chat, keys, records, audit, HTTP and the link. */
import type { DatabaseSync } from 'node:sqlite'
import { openLink } from '../../bridges/linked/farm-end/dial.ts'
import type { Random } from '../../bridges/simulated/random.ts'
import { digestOf } from '../../lib/keys.ts'
import type { Log } from '../../lib/log.ts'
import { farmDispatch } from '../../runtime/dispatch/farm-dispatch.ts'
import { startServer } from '../../runtime/node/server.ts'
import { keptChat } from '../../services/history/kept-chat.ts'
import { openMemory } from '../../services/records/database.ts'
import { type KeeperCalls, keepRecords } from '../../services/records/keeper.ts'
import { migrations } from '../../services/records/migrations.ts'
import { ringOf } from '../../services/records/own-key-ring.ts'
import { ownRecords } from '../../services/records/own-records.ts'
import { portsOf } from '../farm-ports.ts'
import type { Game } from './game.ts'
import type { Network } from './network.ts'
import { Program, type VirtualTime } from './virtual-time.ts'

export const apiKey = 'YXBpIGtleSB0aGF0IGlzIDMyIGJ5dGVzIGxvbmc='
export const linkKey = 'bGluayBrZXkgdGhhdCBpcyAzMiBieXRlcyBsb24='

const rates = { reads: 0, writes: 0, anonymous: 0, failedKeys: 0 }

/** A disk on which SQLite keeps what was committed. */
export function newDisk(): DatabaseSync {
  const disk = openMemory(migrations)
  // It outlives each process that opens it.
  disk.close = () => undefined
  return disk
}

export interface FarmParts {
  readonly time: VirtualTime
  readonly random: Random
  readonly network: Network
  readonly game: Game
  readonly disk: DatabaseSync
  /** The name of the process. */
  readonly run: string
  readonly trace: (text: string) => void
}

/** Starts the process. @returns at once; its parts open one after the other */
export function startFarm({ time, random, network, game, disk, run, trace }: FarmParts) {
  const program = new Program('farm')
  const { now, monotonic, random: fraction, after } = time.clock
  const logged = (_fields: object, message: string) => trace(message)
  const log: Log = { debug: () => undefined, info: () => undefined, warn: logged, error: logged }
  /** The thread of the records: calls and answers keep their order, and each takes a moment. */
  const overThread = (calls: KeeperCalls): KeeperCalls =>
    new Proxy(calls, {
      get:
        (_target, name: keyof KeeperCalls) =>
        (...args: never[]) =>
          new Promise((resolve, reject) => {
            const call = calls[name] as (...all: never[]) => Promise<unknown>
            const answer = (settle: () => void) => program.run(() => after(1, settle))
            after(1, () =>
              call(...args).then(
                (value) => answer(() => resolve(value)),
                (error: unknown) => answer(() => reject(error)),
              ),
            )
          }),
    })
  const open = async () => {
    const keeper = keepRecords({
      path: undefined,
      memory: disk,
      days: { audit: 90, history: 90, chat: 30 },
      onState: () => undefined,
      noted: () => undefined,
      now,
      monotonic,
      random: fraction,
      soon: (flush) => after(random.whole(0, 4), flush),
    })
    const everySecond = setInterval(() => keeper.tick(), 1000)
    const randomBytes = (size: number) => Uint8Array.from({ length: size }, () => random.whole(0, 255))
    const own = ownRecords({ calls: overThread(keeper.calls), state: () => 'ok', now, randomBytes })
    const records = { ...own, later: own.later }
    const bridge = game.bridgeOf(program)
    const keys = await ringOf(records, digestOf(apiKey), now)
    const chat = await keptChat(bridge, records, true, now)
    const farm = portsOf(bridge, { records: own.of('local') })
    const ofEdge = own.of('edge')
    const server = await startServer(
      {
        farm,
        chat,
        keys,
        rates,
        allowedOrigins: [],
        publicInviteCodes: false,
        publicBadge: false,
        refusalsAs200: false,
        basePath: '',
        trustProxy: 0,
        maxClients: 100,
        pages: new Map(),
        log,
      },
      network.serve('farm'),
    )
    const link = openLink({
      urls: ['http://edge'],
      key: linkKey,
      game: bridge,
      chat,
      records: ofEdge,
      dispatch: farmDispatch({
        farm: { ...farm, records: ofEdge },
        keys,
        metrics: server.metrics,
        streams: server.streams,
        log,
        now,
        monotonic,
      }),
      keys,
      keepsChat: true,
      log,
      rates,
      run,
      monotonic,
      random: fraction,
      after,
      connect: () => network.connect('edge'),
    })
    return {
      chat,
      link,
      /** As after SIGTERM. */
      async stop() {
        await Promise.all([link.close(), server.stop(5000)])
        await chat.close()
        own.sendRows()
        // The last message to the thread.
        await new Promise<void>((resolve) => void after(2, resolve))
        clearInterval(everySecond)
        keeper.close()
        program.end()
      },
    }
  }
  const opened = program.run(open)
  let parts: Awaited<typeof opened> | undefined
  void opened.then((all) => {
    parts = all
  })
  return {
    program,
    opened,
    /** Undefined until they are open. */
    get parts() {
      return program.isAlive ? parts : undefined
    },
  }
}

/**
 * Archives in worker threads: whatever an archive of others holds, it can use up only the memory of a thread, and never
 * the turn of those who wait for farmgate.
 */
import { Worker } from 'node:worker_threads'
import type { BirpcReturn } from 'birpc'
import { currentFarm } from '../../lib/current-farm.ts'
import { callsOfThread } from '../../lib/threads.ts'
import { errorsApart, type RevivedErrors } from './apart-errors.ts'
import { BrokenArchive } from './broken-archive.ts'

/** The objects of the largest allowed archive take a third of it. Contents are read in pieces outside of the heap. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }
/** Maximum of threads that work at once, in all and for one farm: its archives leave threads to the other farms. */
const most = 4
const mostOfFarm = 2
/** Milliseconds that a thread waits for the next call: a list of found archives is read one after the other. */
const waitsFor = 2000

interface Turn {
  /** Undefined where the process has only one. */
  readonly farm: object | undefined
  go(): void
}
const working = new Set<Turn>()
const waiting: Turn[] = []

/** Starts what may run now, the oldest first. */
function advance(): void {
  for (const turn of [...waiting]) {
    const ofFarm = [...working].filter(({ farm }) => farm === turn.farm).length
    if (working.size >= most || (turn.farm !== undefined && ofFarm >= mostOfFarm)) continue
    waiting.splice(waiting.indexOf(turn), 1)
    working.add(turn)
    turn.go()
  }
}

/** Runs one call when there is a thread for it. */
async function inTurn<Done>(call: () => Promise<Done>): Promise<Done> {
  const { promise, resolve: go } = Promise.withResolvers<void>()
  const turn = { farm: currentFarm.getStore(), go }
  waiting.push(turn)
  advance()
  await promise
  try {
    return await call()
  } finally {
    working.delete(turn)
    advance()
  }
}

/**
 * The calls of a thread, each alone in its thread.
 * @param entry the file of the thread, which calls `answerApart` @param errors how errors of its own are made here
 * @returns runs calls. They reject as they do in the thread, with {BrokenArchive} when the thread used up its memory, and
 * with EAGAIN when it ended otherwise, which says nothing about the archive
 */
export function archivesApart<Calls extends object>(entry: URL, errors: RevivedErrors = {}) {
  let idle: ReturnType<typeof launch> | undefined
  const launch = () => {
    const worker = started(entry)
    const calls = callsOfThread<Calls, object>(worker, {
      functions: {},
      errors: errorsApart(errors),
      lost,
    })
    const thread = { worker, calls, hasEnded: false, end: undefined as NodeJS.Timeout | undefined }
    worker.on('exit', () => {
      thread.hasEnded = true
      if (idle === thread) idle = undefined
    })
    return thread
  }
  return <Done>(call: (calls: BirpcReturn<Calls, object>) => Promise<Done>): Promise<Done> =>
    inTurn(async () => {
      const thread = idle ?? launch()
      idle = undefined
      clearTimeout(thread.end)
      thread.worker.ref()
      try {
        return await call(thread.calls)
      } finally {
        if (!thread.hasEnded && idle === undefined) {
          idle = thread
          // It does not keep the process running.
          thread.worker.unref()
          thread.end = setTimeout(() => {
            // Its exit comes later, and a call until then would be lost.
            idle = undefined
            void thread.worker.terminate()
          }, waitsFor).unref()
        } else await thread.worker.terminate()
      }
    })
}

function started(entry: URL): Worker {
  try {
    return new Worker(entry, { resourceLimits })
  } catch (error) {
    throw lost(error instanceof Error ? error : undefined)
  }
}

const lost = (cause: Error | undefined): Error =>
  cause !== undefined && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new BrokenArchive('reading it takes more memory than an archive may have')
    : Object.assign(new Error(`the thread of the archive has ended: ${cause?.message ?? 'no cause'}`), {
        code: 'EAGAIN',
      })

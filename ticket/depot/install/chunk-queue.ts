import type { Cdn } from '../cdn/content-servers.ts'
import type { FileWork } from '../plan/plan.ts'
import { openBuffers } from '../workers/buffers.ts'
import type { Target } from '../workers/tasks.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** One chunk to fetch and all its targets: equal chunks are fetched once. */
interface Job {
  readonly sha: string
  readonly size: number
  readonly packed: number
  readonly targets: Target[]
  readonly works: FileWork[]
}

export interface QueueParts {
  readonly depotId: number
  readonly key: Buffer
  readonly cdn: Cdn
  readonly workers: Workers
  /** Maximum number of chunks in progress; bounds the memory. */
  readonly width: number
  readonly signal: AbortSignal
  /** Called with files that have all their chunks; one call at a time. */
  readonly finish: (files: readonly FileWork[]) => Promise<void>
  readonly watch: (job: { readonly size: number; readonly packed: number }) => void
}

/** Maximum number of files that are synced to disk in one call. */
const filesPerFinish = 32

/**
 * Fetches the chunks of all files in one queue and finishes each file after its last chunk. The first failure stops the
 * queue and rejects.
 */
export async function fetchAll(works: readonly FileWork[], parts: QueueParts): Promise<void> {
  const { depotId, key, cdn, workers, width, finish, watch } = parts
  const stop = new AbortController()
  const signal = AbortSignal.any([parts.signal, stop.signal])
  const buffers = openBuffers()
  const jobs = jobsOf(works)
  const chunksLeft = new Map(works.map((work) => [work, 0]))
  for (const job of jobs) for (const work of job.works) chunksLeft.set(work, (chunksLeft.get(work) ?? 0) + 1)

  // Files that become complete during a call of `finish` wait for the next call. A slow disk gets fewer, larger calls.
  const complete: FileWork[] = []
  let finishing: Promise<void> | undefined
  const finishComplete = async (): Promise<void> => {
    try {
      while (complete.length > 0 && !signal.aborted) await finish(complete.splice(0, filesPerFinish))
    } catch (error) {
      stop.abort(error)
    }
    finishing = undefined
  }
  const finishSoon = (work: FileWork): void => {
    complete.push(work)
    finishing ??= finishComplete()
  }

  const get = async ({ sha, size, packed, targets }: Job): Promise<void> => {
    const bytes = buffers.take(packed)
    await cdn.fetch(
      () => `/depot/${depotId}/chunk/${sha}`,
      (length = packed) => {
        if (length !== packed) throw new Error('length is not the stated one')
        return bytes
      },
      async (received) => {
        if (received.length !== packed) return undefined
        const good = await workers.run<'chunk'>({ do: 'chunk', packed: bytes, key, sha, size, targets })
        return good ? true : undefined
      },
      signal,
    )
    buffers.give(bytes)
  }

  const run = async (job: Job): Promise<void> => {
    await get(job)
    watch(job)
    for (const work of job.works) {
      const count = (chunksLeft.get(work) ?? 0) - 1
      chunksLeft.set(work, count)
      if (count === 0) finishSoon(work)
    }
  }

  const next = jobs.values()
  const runJobs = async (): Promise<void> => {
    try {
      for (const job of next) {
        signal.throwIfAborted()
        await run(job)
      }
    } catch (error) {
      stop.abort(error)
    }
  }
  for (const [work, count] of chunksLeft) if (count === 0) finishSoon(work)
  await Promise.all(Array.from({ length: width }, runJobs))
  await finishing
  signal.throwIfAborted()
}

function jobsOf(works: readonly FileWork[]): Job[] {
  const jobs = new Map<string, Job>()
  for (const work of works) {
    for (const { sha, size, packed, offset } of work.fetch) {
      const key = `${sha} ${size}`
      const job = jobs.get(key) ?? { sha, size, packed, targets: [], works: [] }
      jobs.set(key, job)
      job.targets.push({ part: work.part, offset })
      job.works.push(work)
    }
  }
  return [...jobs.values()]
}

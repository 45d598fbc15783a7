import type { Cdn } from './cdn.ts'
import type { FileWork } from './plan.ts'
import { semaphore } from './semaphore.ts'
import type { Target } from './work.ts'
import type { Workers } from './workers.ts'

/** One chunk to fetch, with every place it belongs: equal chunks are fetched once. */
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
  /** Chunks under way at once; bounds the memory. */
  readonly width: number
  readonly signal: AbortSignal
  /** Called when the last chunk of a file is in place. */
  readonly finish: (work: FileWork) => Promise<void>
  readonly watch: (job: { readonly size: number; readonly packed: number }) => void
}

/** Files that are being made durable at once: they wait for the disk, not for the processor. */
const FINISHING = 8

/**
 * Fetches the chunks of all files through one queue, and finishes each file when its last chunk is there.
 * The first failure stops everything.
 */
export async function fetchAll(works: readonly FileWork[], parts: QueueParts): Promise<void> {
  const { depotId, key, cdn, workers, width, finish, watch } = parts
  const stop = new AbortController()
  const signal = AbortSignal.any([parts.signal, stop.signal])
  const jobs = jobsOf(works)
  const left = new Map(works.map((work) => [work, 0]))
  for (const job of jobs) for (const work of job.works) left.set(work, (left.get(work) ?? 0) + 1)

  const finishing = new Set<Promise<void>>()
  const slots = semaphore(FINISHING)
  const finishSoon = async (work: FileWork): Promise<void> => {
    const free = await slots.take(signal)
    const done = finish(work)
      .catch((error: unknown) => stop.abort(error))
      .finally(() => {
        finishing.delete(done)
        free()
      })
    finishing.add(done)
  }

  const run = async (job: Job): Promise<void> => {
    let buffer: ArrayBuffer | undefined
    await cdn.fetch(
      () => `/depot/${depotId}/chunk/${job.sha}`,
      (length) => {
        if (length !== undefined && length !== job.packed) throw new Error('length is not the stated one')
        buffer = workers.buffer(job.packed)
        return Buffer.from(buffer, 0, job.packed)
      },
      async ({ length }) => {
        if (buffer === undefined || length !== job.packed) return undefined
        const { sha, size, targets } = job
        const good = await workers.run<'chunk'>({ do: 'chunk', buffer, length, key, sha, size, targets })
        return good ? true : undefined
      },
      signal,
    )
    watch(job)
    for (const work of job.works) {
      const count = (left.get(work) ?? 0) - 1
      left.set(work, count)
      if (count === 0) await finishSoon(work)
    }
  }

  const next = jobs.values()
  const lane = async (): Promise<void> => {
    try {
      for (const job of next) {
        signal.throwIfAborted()
        await run(job)
      }
    } catch (error) {
      stop.abort(error)
    }
  }
  const whole = async (): Promise<void> => {
    for (const [work, count] of left) if (count === 0) await finishSoon(work)
  }
  await Promise.all([
    whole().catch((error: unknown) => stop.abort(error)),
    ...Array.from({ length: width }, lane),
  ])
  await Promise.all(finishing)
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

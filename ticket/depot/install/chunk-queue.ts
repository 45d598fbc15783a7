import type { Cdn } from '../cdn/cdn.ts'
import type { Chunk } from '../format/depot-file.ts'
import type { FileWork } from '../plan/plan.ts'
import { partialPath } from '../tree/file-names.ts'
import type { Root } from '../tree/game-directory.ts'
import type { Workers } from '../workers/worker-pool.ts'

/** Bytes. Sizes are rounded up to a multiple, so that a returned buffer fits most other chunks. */
const sizeStep = 2 ** 18

const rounded = (length: number): number => Math.max(1, Math.ceil(length / sizeStep)) * sizeStep

/** @returns an empty pool of buffers. */
function openBuffers() {
  const spare: SharedArrayBuffer[] = []
  return {
    /** @returns a buffer of `length` bytes; it is not cleared, so it may contain bytes of an earlier chunk */
    take(length: number): Buffer {
      const index = spare.findIndex((memory) => memory.byteLength >= length)
      // When none is large enough, one that is too small is dropped and a new one is made.
      const [found] = spare.splice(Math.max(index, 0), 1)
      const memory = found !== undefined && index >= 0 ? found : new SharedArrayBuffer(rounded(length))
      return Buffer.from(memory, 0, length)
    },
    /** Returns a buffer for use by another chunk. */
    give({ buffer }: Buffer) {
      if (buffer instanceof SharedArrayBuffer) spare.push(buffer)
    },
  }
}

/** One chunk to fetch and all its places: equal chunks are fetched once. */
interface ChunkJob {
  readonly chunk: Chunk
  readonly places: { readonly work: FileWork; readonly offset: number }[]
}

/** An old file whose good chunks are copied to the partial file that will replace it. */
interface CopyJob {
  readonly replaced: FileWork
}

export interface QueueParts {
  readonly root: Root
  readonly depotId: number
  readonly key: Buffer
  readonly cdn: Cdn
  readonly workers: Workers
  /** Maximum number of jobs in progress; bounds the memory. */
  readonly width: number
  readonly signal: AbortSignal
  /** Called with files that have all their chunks, and the number of their queue; one call at a time. */
  readonly finish: (files: readonly FileWork[], queue: number) => Promise<void>
  readonly onFetched: (chunk: Chunk) => void
  /** Called with the number of bytes that were copied from old files. */
  readonly onCopied: (bytes: number) => void
}

/** Maximum number of files that are synced to disk in one call. */
const filesPerFinish = 32
const chunksPerCopy = 32
/** Bytes. The receiving thread needs longer for a smaller chunk than a decoding thread. */
const smallChunk = 2 ** 16

/** Counts the calls of `fetchAll`. */
let queues = 0

/**
 * Gets the chunks of all files in one queue and finishes each file after its last chunk. Old files are copied when the
 * queue reaches them, not all before the first is replaced, so the disk holds few files twice. The first failure stops
 * the queue and rejects.
 */
export async function fetchAll(works: readonly FileWork[], parts: QueueParts): Promise<void> {
  const { root, depotId, key, cdn, workers, width, finish, onFetched, onCopied } = parts
  const stop = new AbortController()
  const signal = AbortSignal.any([parts.signal, stop.signal])
  const buffers = openBuffers()
  const queue = ++queues
  const jobs = jobsOf(works)
  const jobsLeft = new Map(works.map((work) => [work, 0]))
  for (const job of jobs) for (const work of worksOf(job)) jobsLeft.set(work, (jobsLeft.get(work) ?? 0) + 1)

  // Files that become complete during a call of `finish` wait for the next call. A slow disk gets fewer, larger calls.
  const complete: FileWork[] = []
  let finishing: Promise<void> | undefined
  const finishComplete = async (): Promise<void> => {
    try {
      while (complete.length > 0 && !signal.aborted) await finish(complete.splice(0, filesPerFinish), queue)
    } catch (error) {
      stop.abort(error)
    }
    finishing = undefined
  }
  const finishSoon = (work: FileWork): void => {
    complete.push(work)
    finishing ??= finishComplete()
  }

  const fetchChunk = async ({ chunk, places }: ChunkJob): Promise<void> => {
    const { sha, size, packed } = chunk
    const bytes = buffers.take(packed)
    const targets = places.map(({ work, offset }) => ({ part: partialPath(work.at), offset }))
    await cdn.fetch({
      what: 'a chunk',
      path: () => `/depot/${depotId}/chunk/${sha}`,
      memory: (length = packed) => {
        if (length !== packed) throw new Error('the answer has the wrong length')
        return bytes
      },
      // `received` is the memory of `bytes`.
      accept: async (received) => {
        if (received.length !== packed) return undefined
        const good = await workers.run<'chunk'>({
          do: 'chunk',
          root,
          queue,
          encrypted: bytes,
          key,
          sha,
          size,
          targets,
        })
        return good ? true : undefined
      },
      signal,
    })
    buffers.give(bytes)
    onFetched(chunk)
  }

  /** A chunk that has changed since the check is fetched. */
  const copyChunks = async (work: FileWork): Promise<void> => {
    for (let at = 0; at < work.copy.length; at += chunksPerCopy) {
      signal.throwIfAborted()
      const chunks = work.copy.slice(at, at + chunksPerCopy)
      const from = work.at
      const part = partialPath(from)
      const copied = await workers.run<'copy'>({ do: 'copy', root, from, part, chunks, loaderFix: true })
      onCopied(chunks.reduce((bytes, { size }) => bytes + size, 0))
      for (const [index, chunk] of chunks.entries())
        if (copied[index] !== true) await fetchChunk({ chunk, places: [{ work, offset: chunk.offset }] })
    }
  }

  const run = async (job: ChunkJob | CopyJob): Promise<void> => {
    await ('replaced' in job ? copyChunks(job.replaced) : fetchChunk(job))
    for (const work of worksOf(job)) {
      const count = (jobsLeft.get(work) ?? 0) - 1
      jobsLeft.set(work, count)
      if (count === 0) finishSoon(work)
    }
    // A slow disk delays the queue. Otherwise the complete files would fill it in addition to those that they
    // replace.
    if (complete.length >= filesPerFinish) await finishing
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
  for (const [work, count] of jobsLeft) if (count === 0) finishSoon(work)
  await Promise.all(Array.from({ length: width }, runJobs))
  await finishing
  signal.throwIfAborted()
}

/**
 * The jobs in the order of the files, except that small chunks are spread evenly between the others: the decoding threads
 * have large ones to work on while the receiving thread asks for many small ones.
 */
function jobsOf(works: readonly FileWork[]): (ChunkJob | CopyJob)[] {
  const jobs: (ChunkJob | CopyJob)[] = []
  const bySha = new Map<string, ChunkJob>()
  for (const work of works) {
    if (work.copy.length > 0) jobs.push({ replaced: work })
    for (const chunk of work.fetch) {
      const place = { work, offset: chunk.offset }
      const known = bySha.get(chunk.sha)
      if (known !== undefined) {
        known.places.push(place)
        continue
      }
      const job = { chunk, places: [place] }
      bySha.set(chunk.sha, job)
      jobs.push(job)
    }
  }
  const isSmall = (job: ChunkJob | CopyJob): boolean => 'chunk' in job && job.chunk.packed < smallChunk
  const spread = (some: typeof jobs) => some.map((job, index) => ({ job, at: (index + 0.5) / some.length }))
  return [...spread(jobs.filter((job) => !isSmall(job))), ...spread(jobs.filter(isSmall))]
    .toSorted((a, b) => a.at - b.at)
    .map(({ job }) => job)
}

function worksOf(job: ChunkJob | CopyJob): FileWork[] {
  return 'replaced' in job ? [job.replaced] : job.places.map(({ work }) => work)
}

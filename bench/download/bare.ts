import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Manifest } from '../../ticket/depot/format/manifest.ts'
import { threadLimits } from '../../ticket/thread-limits.ts'
import type { BareChunk, BareWork } from './bare-worker.ts'
import type { Place } from './place.ts'

/** Runs each part on a separate thread. @returns the seconds that it took, without the start of the threads */
async function onThreads(parts: readonly BareWork[]): Promise<number> {
  const workers = parts.map(
    () => new Worker(new URL('./bare-worker.ts', import.meta.url), { resourceLimits: threadLimits }),
  )
  const send = (work: (index: number) => BareWork): Promise<unknown> =>
    Promise.all(
      workers.map(
        (worker, index) =>
          new Promise((resolve, reject) => {
            worker.once('message', resolve)
            worker.once('error', reject)
            worker.postMessage(work(index))
          }),
      ),
    )
  await send(() => ({ do: 'start' }))
  const started = performance.now()
  await send((index) => parts[index] ?? { do: 'start' })
  const seconds = (performance.now() - started) / 1000
  await Promise.all(workers.map((worker) => worker.terminate()))
  return seconds
}

/** Decodes, hashes and writes all chunks of a depot, which are already in memory. @returns seconds */
export async function bareChunks(place: Place, manifest: Manifest): Promise<number> {
  const chunks: BareChunk[] = []
  for (const { path, chunks: pieces } of manifest.files) {
    for (const { sha, size, offset } of pieces) {
      const response = await fetch(`http://${place.host}/depot/${place.depotId}/chunk/${sha}`)
      const packed = new Uint8Array(new SharedArrayBuffer(Number(response.headers.get('content-length'))))
      packed.set(await response.bytes())
      chunks.push({ packed, sha, size, at: join(place.directory, path), offset })
    }
  }
  const key = Buffer.from(place.key, 'hex')
  return onThreads(split(chunks, place.workers).map((share) => ({ do: 'chunks', key, chunks: share })))
}

/** Reads and hashes files with SHA-1. @returns seconds */
export function bareHash(files: readonly string[], threads: number): Promise<number> {
  return onThreads(split(files, threads).map((share) => ({ do: 'hash', files: share })))
}

function split<Item>(items: readonly Item[], shares: number): Item[][] {
  return Array.from({ length: shares }, (_, share) =>
    items.filter((_item, index) => index % shares === share),
  )
}

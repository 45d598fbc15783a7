/** The bucket of a cluster. It has its own thread, because a bucket that is slow ends the instances. */
import { Worker } from 'node:worker_threads'
import type { Fault } from './bucket-server.ts'

export interface Bucket {
  readonly endpoint: string
  fault(kind: Fault): void
  /** Requests that met the fault. */
  readonly faults: number
  stop(): Promise<void>
}

export async function startBucket(): Promise<Bucket> {
  const thread = new Worker(new URL('bucket-thread.ts', import.meta.url))
  let faults = 0
  const endpoint = await new Promise<string>((resolve, reject) => {
    thread.on('error', reject)
    thread.on('message', (said: { readonly endpoint?: string }) => {
      if (said.endpoint === undefined) faults += 1
      else resolve(said.endpoint)
    })
  })
  return {
    endpoint,
    fault: (kind) => thread.postMessage(kind),
    get faults() {
      return faults
    },
    async stop() {
      await thread.terminate()
    },
  }
}

import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { decrypt } from '../../ticket/depot/format/decrypt.ts'
import { unpack } from '../../ticket/depot/format/unpack.ts'

/** A worker of the bare loop: only the work that every chunk or file needs, without network, queue or order. */
export type BareWork =
  | { readonly do: 'start' }
  | { readonly do: 'chunks'; readonly key: Uint8Array; readonly chunks: readonly BareChunk[] }
  | { readonly do: 'hash'; readonly files: readonly string[] }

export interface BareChunk {
  readonly packed: Uint8Array
  readonly sha: string
  readonly size: number
  readonly at: string
  readonly offset: number
}

parentPort?.on('message', (work: BareWork) => {
  if (work.do === 'chunks') {
    const key = createSecretKey(work.key)
    for (const chunk of work.chunks) write(chunk, key)
  }
  if (work.do === 'hash') for (const file of work.files) hash('sha1', readFileSync(file))
  parentPort?.postMessage('done')
})

const open = new Map<string, number>()

function write({ packed, sha, size, at, offset }: BareChunk, key: KeyObject): void {
  const plain = unpack(decrypt(Buffer.from(packed.buffer, packed.byteOffset, packed.length), key), size)
  if (hash('sha1', plain) !== sha) throw new Error('not the chunk')
  let descriptor = open.get(at)
  if (descriptor === undefined) {
    mkdirSync(dirname(at), { recursive: true })
    descriptor = openSync(at, 'a')
    closeSync(descriptor)
    descriptor = openSync(at, 'r+')
    open.set(at, descriptor)
  }
  writeSync(descriptor, plain, 0, plain.length, offset)
}

/** An S3 server on loopback for clusters: conditional writes, and faults that a test switches on. */

import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listening } from '../../listening.ts'

/**
 * What happens to each request. `errors`: 500 and 503 in turn. `lost`: a write is made, and its answer never arrives.
 * `page`: a write is not made, and a proxy answers 200 with its page, which has an ETag. A bucket
 * without conditional writes refuses each (`unconditional`: 501, `unmet`: 412), or makes it all the same (`ignored`).
 */
export type Fault = 'none' | 'stalls' | 'lost' | 'errors' | 'page' | 'unconditional' | 'unmet' | 'ignored'

interface Stored {
  readonly body: Buffer
  readonly etag: string
  readonly at: Date
}

/** @param name of the bucket: the first part of each path @param met called when a request has met the fault */
export async function serveBucket(name: string, met: () => void) {
  const objects = new Map<string, Stored>()
  const uploads = new Map<string, Map<number, Buffer>>()
  let fault: Fault = 'none'
  let faults = 0
  let serial = 0

  const write = (key: string, body: Buffer): Stored => {
    serial += 1
    const etag = `"${createHash('md5').update(body).digest('hex')}-${serial}"`
    const stored = { body, etag, at: new Date() }
    objects.set(key, stored)
    return stored
  }
  /** Whether the conditions of a write hold now; nothing runs between this and the write. */
  const mayWrite = (key: string, { headers }: IncomingMessage) => {
    if (fault === 'ignored') return true
    const found = objects.get(key)
    if (headers['if-none-match'] === '*') return found === undefined
    const wanted = headers['if-match']
    return wanted === undefined || wanted === found?.etag
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://bucket')
    const key = decodeURIComponent(url.pathname.slice(name.length + 2))
    const query = url.searchParams
    const body = await buffer(request)
    const send = (
      status: number,
      headers: Readonly<Record<string, string>> = {},
      content: string | Buffer = '',
    ) => {
      if (fault === 'lost' && request.method !== 'GET') {
        met()
        response.destroy()
        return
      }
      response.writeHead(status, { 'content-length': String(Buffer.byteLength(content)), ...headers })
      response.end(request.method === 'HEAD' ? undefined : content)
    }
    const failed = (status: number, code: string) =>
      send(
        status,
        { 'content-type': 'application/xml' },
        `<Error><Code>${code}</Code><Message>${code}</Message></Error>`,
      )
    if (fault === 'page' && request.method === 'PUT') {
      met()
      return send(200, { 'content-type': 'text/html', etag: '"5f7b2c-264"' }, '<title>Welcome</title>')
    }
    const isConditional = ['if-match', 'if-none-match'].some((name) => request.headers[name] !== undefined)
    if (isConditional && request.method !== 'GET' && request.method !== 'HEAD') {
      if (fault === 'unconditional') return failed(501, 'NotImplemented')
      if (fault === 'unmet') return failed(412, 'PreconditionFailed')
    }
    const found = objects.get(key)
    if (key === '' && request.method === 'GET')
      return send(200, { 'content-type': 'application/xml' }, listing(query))
    if (request.method === 'POST' && query.has('delete')) {
      for (const [, one = ''] of body.toString().matchAll(/<Key>(.*?)<\/Key>/g))
        objects.delete(unescaped(one))
      return send(200, { 'content-type': 'application/xml' }, '<DeleteResult></DeleteResult>')
    }
    if (request.method === 'POST' && query.has('uploads')) {
      serial += 1
      uploads.set(String(serial), new Map())
      const xml = `<InitiateMultipartUploadResult><UploadId>${serial}</UploadId></InitiateMultipartUploadResult>`
      return send(200, { 'content-type': 'application/xml' }, xml)
    }
    const upload = uploads.get(query.get('uploadId') ?? '')
    if (request.method === 'PUT' && upload !== undefined) {
      upload.set(Number(query.get('partNumber')), body)
      return send(200, { etag: `"${createHash('md5').update(body).digest('hex')}"` })
    }
    if (request.method === 'POST' && upload !== undefined) {
      if (!mayWrite(key, request)) return failed(412, 'PreconditionFailed')
      const parts = [...upload].sort(([a], [b]) => a - b).map(([, part]) => part)
      const { etag } = write(key, Buffer.concat(parts))
      const xml = `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`
      return send(200, { 'content-type': 'application/xml', etag }, xml)
    }
    if (request.method === 'PUT') {
      if (!mayWrite(key, request)) return failed(412, 'PreconditionFailed')
      return send(200, { etag: write(key, body).etag })
    }
    if (request.method === 'DELETE') {
      if (!mayWrite(key, request)) return failed(412, 'PreconditionFailed')
      objects.delete(key)
      return send(204)
    }
    if (found === undefined) return failed(404, 'NoSuchKey')
    const headers = { etag: found.etag, 'last-modified': found.at.toUTCString(), 'accept-ranges': 'bytes' }
    if (request.headers['if-none-match'] === found.etag) return send(304, headers)
    const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    if (from === undefined) return send(200, headers, found.body)
    const size = found.body.length
    const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
    const last = from === '' || to === '' || to === undefined ? size - 1 : Math.min(Number(to), size - 1)
    if (first >= size) return failed(416, 'InvalidRange')
    return send(
      206,
      { ...headers, 'content-range': `bytes ${first}-${last}/${size}` },
      found.body.subarray(first, last + 1),
    )
  }

  function listing(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? ''
    const delimiter = query.get('delimiter') ?? ''
    const after = query.get('continuation-token') ?? query.get('start-after') ?? ''
    const limit = Number(query.get('max-keys') ?? 1000)
    const below = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const folders = new Set<string>()
    const keys: string[] = []
    let next: string | undefined
    for (const key of below) {
      if (keys.length + folders.size >= limit) {
        next = keys.at(-1)
        break
      }
      const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
      if (end >= 0) folders.add(key.slice(0, end + 1))
      else keys.push(key)
    }
    const contents = keys.map((key) => {
      const { etag, body, at } = objects.get(key) ?? { etag: '', body: '', at: new Date() }
      return `<Contents><Key>${escaped(key)}</Key><LastModified>${at.toISOString()}</LastModified><ETag>${escaped(etag)}</ETag><Size>${body.length}</Size><StorageClass>STANDARD</StorageClass></Contents>`
    })
    const common = [...folders].map(
      (folder) => `<CommonPrefixes><Prefix>${escaped(folder)}</Prefix></CommonPrefixes>`,
    )
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>${name}</Name><Prefix>${escaped(prefix)}</Prefix><KeyCount>${keys.length}</KeyCount><MaxKeys>${limit}</MaxKeys><IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${escaped(next)}</NextContinuationToken>`}${contents.join('')}${common.join('')}</ListBucketResult>`
  }

  const server = createServer((request, response) => {
    request.on('error', () => undefined)
    if (fault === 'errors' || fault === 'stalls') {
      faults += 1
      met()
      // A stalled request gets no answer, and is not made.
      if (fault === 'errors') response.writeHead(faults % 2 === 0 ? 500 : 503).end()
      return
    }
    answer(request, response).catch(() => response.destroy())
  })
  const port = await listening(server)
  return {
    endpoint: `http://127.0.0.1:${port}`,
    fault(kind: Fault) {
      fault = kind
      if (kind === 'none') server.closeIdleConnections()
    },
  }
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { afterAll, describe, expect, test } from 'vitest'
import { CopyError } from '../../../services/backups/copy-store.ts'
import { type S3Place, s3Store } from '../../../services/backups/s3-store.ts'
import { certificate, trust } from '../../certificate.ts'
import { passOn } from '../../pass-on.ts'
import { portOf } from '../../port-of.ts'
import { s3Key, startS3Server } from '../../s3-server.ts'
import { all, faultyStorage, rawStorage, refusal } from './storage.ts'

const server = await startS3Server()
afterAll(() => server.stop())
const never = new AbortController().signal
const name = 'Farm 春 (2), day 3+4.zip'

type Limits = Omit<Parameters<typeof s3Store>[1], 'now'>
const storeAt = (url: string, place: Partial<S3Place> = {}, limits: Limits = {}, now = Date.now) =>
  s3Store({ url, ...s3Key, ...place }, { now, ...limits })

async function* pieces(count: number, size = 65_536): AsyncGenerator<Uint8Array, void> {
  for (let piece = 0; piece < count; piece += 1) yield Buffer.alloc(size, piece)
}

/** @returns the error message of storing one small copy */
async function failure(store: ReturnType<typeof s3Store>): Promise<string> {
  const error: unknown = await store.write(name, 65_536, pieces(1), never).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CopyError)
  return error instanceof CopyError ? error.message : ''
}

describe('copies in S3-compatible storage', () => {
  test('a copy is stored as one object below the prefix, and read back byte for byte', async () => {
    const store = storeAt(`${server.url}/my/farm`)
    const sent = await all(pieces(40))
    await store.write(name, sent.length, pieces(40), never)
    expect(server.objects('my/farm')).toEqual([name])
    expect((await all(store.read(name, sent.length, never))).equals(sent)).toBe(true)
  })

  test('a copy of the same name is replaced', async () => {
    const store = storeAt(`${server.url}/again`)
    await store.write(name, 65_536 * 2, pieces(2), never)
    await store.write(name, 3, pieces(1, 3), never)
    expect(server.object('again', name)).toHaveLength(3)
  })

  test('an empty content is stored', async () => {
    const store = storeAt(`${server.url}/empty`)
    await store.write(name, 0, pieces(0), never)
    expect(await all(store.read(name, 0, never))).toHaveLength(0)
  })

  test('a copy is removed; removing a missing one is not an error', async () => {
    const store = storeAt(`${server.url}/removed`)
    await store.write(name, 3, pieces(1, 3), never)
    await store.remove(name, never)
    expect(server.objects('removed')).toEqual([])
    await store.remove(name, never)
  })

  test('storage that switches to another protocol fails each call at once', async () => {
    const url = await rawStorage(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: farm\r\nConnection: Upgrade\r\n\r\n',
    )
    expect(await failure(storeAt(url))).toBe('it answered with another protocol (101)')
    await expect(all(storeAt(url).read(name, 3, never))).rejects.toThrow(
      'it answered with another protocol (101)',
    )
    await expect(storeAt(url).remove(name, never)).rejects.toThrow('it answered with another protocol (101)')
  })

  test('a missing copy cannot be read', async () => {
    const read = all(storeAt(server.url).read('no such copy', 3, never))
    await expect(read).rejects.toThrow('the copy is not there (404 NoSuchKey)')
  })

  test('the region is the given one, otherwise the one in the host of the storage', async () => {
    const credentials: (string | undefined)[] = []
    const url = await faultyStorage((request, response) => {
      credentials.push(/Credential=([^,]*)/.exec(request.headers.authorization ?? '')?.[1])
      request.resume().on('end', () => response.end())
    })
    await storeAt(url, { region: 'eu-central-1' }).remove(name, never)
    await storeAt(url).remove(name, never)
    expect(credentials).toEqual([
      expect.stringContaining('/eu-central-1/s3/aws4_request'),
      expect.stringContaining('/us-east-1/s3/aws4_request'),
    ])
  })

  test('a large copy is read no faster than the storage takes it', async () => {
    const size = 64 * 1024 * 1024
    let received = 0
    let furthest = 0
    const url = await faultyStorage((request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length
        request.pause()
        setImmediate(() => request.resume())
      })
      request.on('end', () => response.writeHead(200, { etag: '"a"' }).end())
    })
    async function* watched() {
      let taken = 0
      for await (const piece of pieces(size / 65_536)) {
        taken += piece.length
        furthest = Math.max(furthest, taken - received)
        yield piece
      }
    }
    await storeAt(url).write(name, size, watched(), never)
    expect(received).toBe(size)
    // This includes the buffers of both sockets.
    expect(furthest).toBeLessThan(16 * 1024 * 1024)
  })
})

describe('storage that answers a copy at once', () => {
  test('and closes the connection has the copy: its confirmation counts, and the read-back decides', async () => {
    // The answer is read before the last bytes of the copy are handed to the system.
    const url = await faultyStorage((request, response) => {
      response.writeHead(200, { connection: 'close', 'content-length': 0, etag: '"a"' }).end()
      request.once('data', () => request.socket.destroySoon())
    })
    for (let copy = 0; copy < 20; copy += 1) await storeAt(url).write(name, 2 ** 22, pieces(64), never)
  })

  test('does not make a copy of an archive that could not be read', async () => {
    const url = await faultyStorage((_, response) => response.writeHead(200, { etag: '"a"' }).end())
    async function* broken(): AsyncGenerator<Uint8Array, void> {
      yield Buffer.alloc(65_536)
      throw new CopyError('the archive cannot be read (EIO)')
    }
    await expect(storeAt(url).write(name, 2 ** 22, broken(), never)).rejects.toThrow('(EIO)')
  })
})

describe('storage that refuses or fails is reported with its cause', () => {
  test('a missing bucket', async () => {
    expect(await failure(storeAt(server.url.replace('/farm', '/barn')))).toBe(
      'the bucket in BACKUP_S3_URL does not exist (404 NoSuchBucket)',
    )
  })

  test('a wrong secret', async () => {
    expect(await failure(storeAt(server.url, { secretAccessKey: 'not the secret' }))).toBe(
      'BACKUP_S3_SECRET_ACCESS_KEY or BACKUP_S3_REGION is wrong (403 SignatureDoesNotMatch)',
    )
  })

  test('an unknown key', async () => {
    expect(await failure(storeAt(server.url, { accessKeyId: 'nobody' }))).toBe(
      'BACKUP_S3_ACCESS_KEY_ID is not known there (403 InvalidAccessKeyId)',
    )
  })

  test('a wrong clock of this machine', async () => {
    const url = await faultyStorage((request, response) => {
      const [, year, month, day, hour] =
        /^(....)(..)(..)T(..)/.exec(String(request.headers['x-amz-date'])) ?? []
      const isSkewed = Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`) < Date.now() - 7_200_000
      response.writeHead(isSkewed ? 403 : 200, { etag: '"a"' }).end(refusal('RequestTimeTooSkewed'))
    })
    await storeAt(url).remove(name, never)
    expect(await failure(storeAt(url, {}, {}, () => Date.now() - 10_800_000))).toBe(
      "the clock of this machine differs from the storage's by more than 15 minutes (403 RequestTimeTooSkewed)",
    )
  })

  test.each([
    [403, refusal('AccessDenied'), 'the key may not do this there (403 AccessDenied)'],
    [500, refusal('InternalError'), 'it refused (500 InternalError)'],
    [503, 'x'.repeat(100_000), 'it refused (503)'],
    [507, refusal('<b>injected</b>'), 'it refused (507)'],
    [500, refusal('constructor'), 'it refused (500 constructor)'],
  ])('an answer %i', async (status, body, words) => {
    const url = await faultyStorage((_, response) => response.writeHead(status).end(body))
    expect(await failure(storeAt(url))).toBe(words)
  })

  test('a redirect is not followed', async () => {
    let asked = 0
    const other = await faultyStorage((_, response) => {
      asked += 1
      response.end()
    })
    const url = await faultyStorage((_, response) => response.writeHead(307, { location: other }).end())
    expect(await failure(storeAt(url))).toBe('it answered with a redirect (307), which is not followed')
    expect(asked).toBe(0)
  })

  test('no server listens there', async () => {
    expect(await failure(storeAt('http://127.0.0.1:1/farm'))).toBe('connection refused')
  })

  test('the server there does not speak HTTP', async () => {
    const url = await faultyStorage((request) => request.socket.end('220 mail.example ESMTP\r\n'))
    expect(await failure(storeAt(url))).toMatch(/^what answers there is not HTTP/)
  })

  test('it accepts the copy and never answers', async () => {
    const url = await faultyStorage((request) => void request.resume())
    expect(await failure(storeAt(url, {}, { silence: 100 }))).toBe('no answer within 0.1 s')
  })

  test.each([
    ['a page', { 'content-type': 'text/html' }],
    ['a page with an ETag', { 'content-type': 'text/html; charset=utf-8', etag: '"a"' }],
    ['nothing', {}],
  ])(
    "a proxy on the way answers a write or a read with 200 and %s: that is not a bucket's answer",
    async (_what, headers) => {
      const url = await faultyStorage((request, response) => {
        request.resume().on('end', () => response.writeHead(200, headers).end('<html>'))
      })
      const store = storeAt(url)
      await expect(store.write(name, 65_536, pieces(1), never)).rejects.toThrow('perhaps a proxy on the way')
      await expect(all(store.read(name, 6, never))).rejects.toThrow('perhaps a proxy on the way')
    },
  )

  test('it reads no byte of the copy', async () => {
    const url = await faultyStorage((request) => void request.pause())
    const store = storeAt(url, {}, { silence: 100 })
    const written = store.write(name, 2 ** 26, pieces(1024), never)
    await expect(written).rejects.toThrow('no answer within 0.1 s')
  })

  test('it returns the copy byte by byte, endlessly', async () => {
    const url = await faultyStorage((_, response) => {
      response.setHeader('etag', '"a"')
      const drip = setInterval(() => response.write('.'), 10)
      response.on('close', () => clearInterval(drip))
    })
    const store = storeAt(url, {}, { silence: 1000, budget: () => 300 })
    await expect(all(store.read(name, 3, never))).rejects.toThrow('it took longer than 0.3 s')
  })

  test('it closes the connection in the middle of the copy', async () => {
    const url = await faultyStorage((request) => {
      request.once('data', () => request.socket.resetAndDestroy())
    })
    const written = storeAt(url).write(name, 2 ** 26, pieces(1024), never)
    await expect(written).rejects.toThrow('the connection was reset')
  })

  test('it returns less than it announces', async () => {
    const url = await faultyStorage((_, response) => {
      response.writeHead(200, { 'content-length': 100, etag: '"a"' }).write('half')
      setImmediate(() => response.destroy())
    })
    await expect(all(storeAt(url).read(name, 100, never))).rejects.toThrow('the connection was reset')
  })

  test('an aborted call ends its connection', async () => {
    const taken = Promise.withResolvers<IncomingMessage>()
    const url = await faultyStorage((request) => taken.resolve(request))
    const giveUp = new AbortController()
    const written = storeAt(url).write(name, 2 ** 26, pieces(1024), giveUp.signal)
    const request = await taken.promise
    const closed = new Promise((resolve) => void request.on('error', () => undefined).on('close', resolve))
    request.resume()
    giveUp.abort(new Error('stopping'))
    await expect(written).rejects.toThrow('stopping')
    await closed
  })
})

/** The storage behind TLS with its own certificate. */
async function overTls(madeAt = new Date()) {
  const made = await certificate(madeAt)
  const received: string[] = []
  const proxy = createServer(made, (incoming, answer) => {
    received.push(`${incoming.method} ${incoming.url}`)
    passOn(incoming, answer, new URL(server.url).port)
  })
  return { ...made, url: `https://127.0.0.1:${await portOf(proxy)}/farm/tls`, received }
}

async function* content(): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from('a copy')
}
const write = (url: string) =>
  s3Store({ url, ...s3Key }, { now: Date.now }).write('copy.zip', 6, content(), never)

test('an untrusted certificate is refused with its cause, and nothing is sent', async () => {
  const { url, received } = await overTls()
  await expect(write(url)).rejects.toThrow(
    'its TLS certificate is not trusted (self-signed, or of an unknown authority)',
  )
  expect(received).toEqual([])
})

test('an expired certificate is refused with its cause', async () => {
  const { url, cert, received } = await overTls(new Date(Date.UTC(2001, 0, 1)))
  trust({ cert })
  await expect(write(url)).rejects.toThrow('its TLS certificate has expired')
  expect(received).toEqual([])
})

test('a trusted certificate is accepted, and the copy is read back', async () => {
  const { url, cert } = await overTls()
  trust({ cert })
  await write(url)
  const store = s3Store({ url, ...s3Key }, { now: Date.now })
  expect((await all(store.read('copy.zip', 6, never))).toString()).toBe('a copy')
})

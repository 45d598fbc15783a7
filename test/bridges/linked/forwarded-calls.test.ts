/** Forwarded calls at the farm: what a hostile edge can request, and the streams that it can open. */
import { setImmediate as turn } from 'node:timers/promises'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { forwardOver } from '../../../bridges/linked/edge-end/forward.ts'
import { farmUploads } from '../../../bridges/linked/farm-end/farm-uploads.ts'
import type { RpcServer } from '../../../bridges/linked/farm-end/rpc-server.ts'
import type { FarmAnswer } from '../../../bridges/linked/forwarded-call.ts'
import { endpoint } from '../../../handlers/endpoint.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { downloadBackup } from '../../../handlers/endpoints/download-backup.ts'
import { oneDownload } from '../../../handlers/endpoints/downloads.ts'
import { makeDiscordCode } from '../../../handlers/endpoints/make-discord-code.ts'
import { sharedPack } from '../../../handlers/endpoints/mods-pack.ts'
import { uploadSave } from '../../../handlers/endpoints/upload-save.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import { Problem } from '../../../handlers/problem.ts'
import { maxUpload } from '../../../handlers/saves.ts'
import { Stream } from '../../../handlers/stream.ts'
import { parseJson, stringifyJson } from '../../../lib/json.ts'
import type { NamedKey } from '../../../lib/keys.ts'
import { dispatchOf } from '../../edge/farm-dispatch.ts'
import { memoryOwnRecords } from '../../records/memory-records.ts'
import { eventually } from '../../wait.ts'
import { aFarm } from '../simulated/a-farm.ts'
import { callingEdge, servedCalls } from './calling-edge.ts'

const named: NamedKey = { id: '0a', name: 'a key', scopes: ['read'], digest: new Uint8Array(32) }
const from = { requestId: 'of the test', address: '192.0.2.7' }
const everyScope = ['read', 'chat', 'control', 'admin']
const apiKey = { id: 'api_key', name: 'API_KEY', scopes: everyScope, ref: '0011' }
const ofNamed = { id: '0a', name: 'a key', scopes: everyScope, ref: 'fg_0a' }
const keysCall = { operationId: 'getKeys', search: '', from, takesDiscord: false }
const code = { ...keysCall, operationId: 'makeDiscordCode' }

/** Never answers before its time is over. */
let ended = 0
const watchGrass = endpoint('GET /wait/grass', {
  at: 'farm',
  scope: 'read',
  tag: 'Waiting',
  operationId: 'watchGrass',
  summary: 'Waits until the grass is high',
  result: v.object({}),
  example: {},
  async handle({ until }) {
    await until(3_600_000, async () => undefined)
    ended += 1
    return {}
  },
})

const ofFarm = endpoints.filter(({ at }) => at === 'farm')

/** @param keys the named keys of the farm @param answer replaces the farm's dispatcher */
function farmOf(keys: readonly NamedKey[] = [], answer?: () => FarmAnswer) {
  const own = memoryOwnRecords()
  const { farm: game, clock } = aFarm({ seed: 'contract', story: 'steered' })
  const records = own.of('edge')
  const dispatch = dispatchOf(game, { records, keys: { named: keys }, endpoints: [...ofFarm, watchGrass] })
  const served = servedCalls(game, clock.now, {
    records,
    dispatch: answer === undefined ? dispatch : { ...dispatch, dispatch: async () => answer() },
  })
  const { server, call } = callingEdge(served)
  return {
    server,
    call,
    forward: (argument: object) => call('dispatch', argument),
    piece: (stream: number) => call('piece', stream),
    rows: async () => (await own.of('local').audit({ limit: 10 })).entries,
  }
}

describe('the farm checks a forwarded call again', () => {
  test.each([
    ['no key at all', {}, 'unauthorized'],
    ['a named key that the farm does not have', { holder: ofNamed }, 'unauthorized'],
  ])('with %s it is refused', async (_what, more, expected) => {
    const { forward, rows } = farmOf()
    for (const asked of [keysCall, code])
      expect((await forward({ ...asked, ...more })).answer).toMatchObject({ problem: { code: expected } })
    expect(await rows()).toEqual([])
  })

  test('a named key that has expired is refused', async () => {
    const { forward } = farmOf([{ ...named, scopes: ['admin'], expiresAt: Date.now() - 1 }])
    expect((await forward({ ...keysCall, holder: ofNamed })).answer).toMatchObject({
      problem: { code: 'unauthorized' },
    })
  })

  test("a named key has the scopes that the farm knows, not those in the edge's call", async () => {
    const { forward, rows } = farmOf([named])
    expect((await forward({ ...code, holder: ofNamed })).answer).toMatchObject({
      problem: { code: 'insufficient_scope', details: { scope: 'admin' } },
    })
    expect(await rows()).toMatchObject([
      { origin: 'edge', outcome: 'refused', status: 403, key: { id: '0a' } },
    ])
  })

  test('a read that the edge answers itself is not dispatched, and an argument of another shape reaches nothing', async () => {
    const { forward, call } = farmOf()
    for (const operationId of ['getPlayers', 'getHealth', 'constructor', ''])
      expect((await forward({ ...keysCall, operationId, holder: apiKey })).frame).toMatchObject({
        failure: { kind: 'unsupported' },
      })
    for (const more of [{ from: {} }, { search: 'x'.repeat(5000) }, { holder: 'admin' }, { body: 5 }])
      expect((await forward({ ...keysCall, ...more })).frame).toMatchObject({
        failure: { kind: 'invalid_argument' },
      })
    expect((await call('piece', 'first')).frame).toMatchObject({ failure: { kind: 'invalid_argument' } })
  })

  test('a body larger than the endpoint takes is refused', async () => {
    const { forward } = farmOf()
    const create = { ...keysCall, operationId: 'createKey', holder: apiKey, body: ' '.repeat(20_000) }
    expect((await forward(create)).answer).toMatchObject({ problem: { code: 'payload_too_large' } })
  })
})

test.each([
  ['the edge cancels its call', ({ cancel }: RpcServer) => cancel(1)],
  ['the link is lost', ({ stop }: RpcServer) => stop()],
])('a forwarded long poll ends when %s', async (_when, end) => {
  const { server } = farmOf()
  const before = ended
  const call = { ...keysCall, operationId: 'watchGrass', holder: apiKey }
  server.call({ type: 'call', id: 1, method: 'dispatch', args: [call] })
  await turn()
  end(server)
  await eventually(() => expect(ended).toBe(before + 1))
})

describe('streams', () => {
  const cancelled: number[] = []
  let opened = 0
  const endless = () => {
    opened += 1
    const own = opened
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => controller.enqueue(new Uint8Array([own])),
        cancel: () => void cancelled.push(own),
      },
      { highWaterMark: 0 },
    )
    return { stream: new Stream(body, 'text/plain') }
  }
  const download = { ...keysCall, operationId: 'downloadBackup', holder: apiKey }

  test('one ends when the edge cancels its call, and all end with the link', async () => {
    const { forward, piece, server } = farmOf([], endless)
    cancelled.length = 0
    opened = 0
    const first = (await forward(download)).answer.stream.id
    await forward(download)
    server.cancel(first)
    expect(cancelled).toEqual([1])
    expect((await piece(first)).frame).toMatchObject({ failure: { kind: 'unavailable' } })
    server.stop()
    expect(cancelled).toEqual([1, 2])
  })

  test('a text and a large chunk are sent whole, in pieces that fit a frame', async () => {
    const { forward, piece } = farmOf([], () => ({ stream: new Stream('x'.repeat(500_000), 'text/plain') }))
    const { id } = (await forward(download)).answer.stream
    const parts: string[] = []
    for (let next = await piece(id); next.answer !== undefined; next = await piece(id))
      parts.push(Buffer.from(next.answer.base64, 'base64').toString())
    expect(parts.join('').length).toBe(500_000)
    expect(parts.length).toBeGreaterThan(2)
    expect((await piece(id)).frame).toMatchObject({ failure: { kind: 'unavailable' } })
  })
})

const call = { search: '', from: { requestId: 'of the test', address: '192.0.2.7' }, takesDiscord: false }

/** A link whose farm gives these answers, one for each call. */
function answering(...answers: readonly unknown[]) {
  const left = [...answers]
  const cancelled: number[] = []
  const forward = forwardOver({
    call: async (_name, { result }) =>
      v.parse(result, left[0] === undefined ? left.shift() : parseJson(stringifyJson(left.shift()))),
    cancel: (id) => void cancelled.push(id),
  })
  return { forward, cancelled }
}
const errorOf = async (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => expect.fail('it was answered'),
    (error: unknown) => error,
  )

test('a problem that only a newer farm knows is 501 with its sentence, and names the edge as the older one', async () => {
  const { forward } = answering({
    problem: { code: 'lawn_flooded', message: 'The lawn is wet.', details: {} },
  })
  const error = await errorOf(forward(makeDiscordCode, call))
  expect(error).toBeInstanceOf(Problem)
  expect(error).toMatchObject({
    code: 'unsupported',
    message: 'The lawn is wet. (The edge is older than the farm: update the edge.)',
  })
})

test('a result of another shape, or an unexpected stream, is a bad response, and the outcome of the write is unknown', async () => {
  for (const answer of [
    { status: 201, result: { code: 5 } },
    { stream: { id: 3, status: 200, headers: {} } },
  ]) {
    const error = await errorOf(answering(answer).forward(makeDiscordCode, call))
    expect(error).toBeInstanceOf(FarmError)
    expect(error).toMatchObject({ failure: { kind: 'bad_response', of: 'farm', write: true } })
  }
})

test('a stream has the type that its endpoint names and no header that could harm other farms of the edge', async () => {
  const headers = { ETag: '"one"', 'Set-Cookie': 'a=b', 'Content-Security-Policy': '' }
  const { forward } = answering({ stream: { id: 3, status: 200, type: 'text/html', headers } })
  const { result } = await forward(downloadBackup, call)
  expect(result).toBeInstanceOf(Stream)
  expect(result).toMatchObject({ type: 'application/zip', headers: { ETag: '"one"' } })
  expect(Object.keys(Object(result).headers)).toEqual(['ETag'])
})

test('a stream with one of several types has the one that the farm names, if its endpoint does', async () => {
  const typeOf = async (type: string) => {
    const { forward } = answering({ stream: { id: 3, status: 200, type, headers: {} } })
    return Object((await forward(oneDownload, call)).result).type
  }
  expect([await typeOf('application/jsonl'), await typeOf('text/html')]).toEqual([
    'application/jsonl',
    'application/zip',
  ])
})

test('a stream that begins while the edge asks which are open stays open', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<unknown>()
  let id = 0
  const forward = forwardOver({
    call: async (name, { result }) => {
      if (name === 'open') return v.parse(result, await answer)
      id += 1
      return v.parse(result, { stream: { id, status: 200, headers: {} } })
    },
    cancel: () => undefined,
  })
  const begun = async () => (await forward(sharedPack, call)).result as Stream
  const first = (await begun()).isGood?.()
  const second = (await begun()).isGood?.()
  resolve([])
  expect([await first, await second]).toEqual([false, true])
})

test('an upload is not held in memory while it is sent', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<unknown>()
  const forward = forwardOver({
    call: async (_name, { result }, [argument]) =>
      v.parse(result, 'base64' in Object(argument) ? undefined : await answer),
    cancel: () => undefined,
  })
  const start = process.memoryUsage().arrayBuffers
  let most = 0
  async function* pieces() {
    for (let left = maxUpload; left > 0; left -= 1024 ** 2) {
      yield new Uint8Array(1024 ** 2)
      most = Math.max(most, process.memoryUsage().arrayBuffers - start)
    }
    resolve({ status: 201, result: uploadSave.example })
  }
  await forward(uploadSave, call, pieces())
  expect(most).toBeLessThan(maxUpload / 2)
})

describe('an upload at the farm', () => {
  const piece = (upload: string, text: string, end?: 'whole' | 'broken') => ({
    upload,
    base64: btoa(text),
    ...(end !== undefined && { end }),
  })
  const unavailable = { failure: { kind: 'unavailable' } }

  test('is read in the order of its pieces, until the edge says that it is whole', async () => {
    const uploads = farmUploads()
    const text = new Response(uploads.open('one')).text()
    await uploads.put(piece('one', 'first '))
    await uploads.put(piece('one', ''))
    await uploads.put(piece('one', 'second', 'whole'))
    expect(await text).toBe('first second')
  })

  test('ends early when the edge says so, its call is answered, or the link ends', async () => {
    const uploads = farmUploads()
    const ends = ['one', 'two', 'three'].map((name) => uploads.open(name).getReader().read())
    const checks = ends.map((end) => expect(end).rejects.toThrow('the upload has ended early'))
    await uploads.put(piece('one', '', 'broken'))
    uploads.close('two')
    uploads.close('unknown')
    uploads.stop()
    await Promise.all(checks)
    for (const name of ['one', 'two', 'three', 'unknown'])
      await expect(uploads.put(piece(name, 'late'))).rejects.toMatchObject(unavailable)
  })

  test('is unavailable when it takes no more, its name is open, or eight are open', async () => {
    const uploads = farmUploads()
    await uploads.open('1').cancel()
    await expect(uploads.put(piece('1', 'late'))).rejects.toMatchObject(unavailable)
    for (const name of ['2', '3', '4', '5', '6', '7', '8']) {
      uploads.open(name)
      expect(() => uploads.open(name)).toThrow(expect.objectContaining(unavailable))
    }
    expect(() => uploads.open('9')).toThrow(expect.objectContaining(unavailable))
    uploads.close('1')
    uploads.open('9')
  })
})

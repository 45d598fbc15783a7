/**
 * Calls that only the farm can answer, at a real Worker: they are forwarded over a real link and dispatched at the
 * farm.
 */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { forwardedEndpoints } from '../../handlers/forwarded-endpoint.ts'
import { bundled } from '../../own-edge/bundle.ts'
import { askWithKey, expectProblem, type RequestOptions } from '../contract/request.ts'
import { suiteKey } from '../contract/server-under-test.ts'
import { memoryOwnRecords } from '../records/memory-records.ts'
import { eventually } from '../wait.ts'
import { dryRun } from './bundle.ts'
import { type Edge, startEdge } from './edge.ts'
import { linkKey } from './edge-server.ts'
import { lawn, lawnEndpoints, maxSeeds } from './lawn.ts'
import { linkedFarm } from './linked-farm.ts'
import { wireTo } from './wire.ts'

let edge: Edge
beforeAll(async () => {
  const bundle = mkdtempSync(join(tmpdir(), 'farmgate-lawn-'))
  const here = (path: string) => new URL(path, import.meta.url).pathname
  // The unchanged Worker, with the service in its list of endpoints as `npm run generate` writes one there.
  const entry = join(bundle, 'worker.ts')
  writeFileSync(
    join(bundle, 'listed.ts'),
    [
      `import { edgeEndpoints } from '${here('../../handlers/endpoints/edge-endpoints.ts')}'`,
      `edgeEndpoints.push(...${JSON.stringify(forwardedEndpoints(lawnEndpoints))})`,
    ].join('\n'),
  )
  writeFileSync(
    entry,
    [
      "import './listed.ts'",
      `export { default, FarmObject, FleetObject } from '${here('../../runtime/edge/worker.ts')}'`,
    ].join('\n'),
  )
  const config = join(bundle, 'wrangler.toml')
  // Without its build of the assets, which are built.
  const whole = readFileSync(here('../../wrangler.toml'), 'utf8').replace(/^\[build\]\n(.+\n)+/m, '')
  writeFileSync(config, whole.replace('".wrangler/assets"', JSON.stringify(here('../../.wrangler/assets'))))
  await dryRun(bundle, entry, '--config', config)
  for (const name of [bundled.entry, bundled.settings])
    copyFileSync(join(inject('edgeBundle'), name), join(bundle, name))
  symlinkSync(join(inject('edgeBundle'), bundled.assets), join(bundle, bundled.assets))
  edge = await startEdge(bundle, {
    API_KEY: suiteKey,
    LINK_KEY: linkKey,
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
  })
  return async () => {
    await edge.stop()
    rmSync(bundle, { recursive: true, force: true })
  }
})
afterEach(() => {
  Object.assign(lawn, { mown: [], pieces: 0, cancelled: 0, before: async () => undefined })
})

const headers = { Authorization: `Bearer ${suiteKey}`, 'Content-Type': 'application/json' }

/** A farm at the edge that has the lawn. @param listed the endpoints that the farm has */
async function lawnFarm({ listed = [...endpoints, ...lawnEndpoints], rates = { reads: 0, writes: 0 } } = {}) {
  const wire = await wireTo(edge.url)
  onTestFinished(() => wire.stop())
  const own = memoryOwnRecords()
  const options = { rates, records: own.of('edge'), endpoints: listed }
  const { link } = await linkedFarm(wire.url, linkKey, options)
  const server = { url: edge.url, key: suiteKey }
  return {
    link,
    wire,
    server,
    mow: (json: string) => askWithKey(server, 'POST', '/lawn', { json }),
    picture: (pieces: number, more: RequestInit = {}) =>
      fetch(`${edge.url}/lawn/picture?pieces=${pieces}`, { headers, ...more }),
    sow: (body: BodyInit, more: RequestOptions = {}, least = 0) =>
      askWithKey(server, 'POST', `/lawn/seeds?least=${least}`, {
        headers: { 'Content-Type': 'application/zip' },
        body,
        ...more,
      }),
    rows: async () => (await own.of('local').audit({ limit: 10 })).entries,
  }
}

/** Holds the service before its next step. */
function hold() {
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  lawn.before = () => {
    reached.resolve()
    return held.promise
  }
  return { reached: reached.promise, release: () => held.resolve() }
}

describe('a service that is only in the list of endpoints', () => {
  test('is answered at the edge by the farm, with one row in the audit', async () => {
    const { mow, rows } = await lawnFarm()
    const made = await mow('{"height":3}')
    expect([made.status, made.json, lawn.mown]).toEqual([201, { height: 3, by: 'API_KEY' }, [3]])
    expect(await rows()).toMatchObject([
      { action: 'mowLawn', origin: 'edge', outcome: 'done', status: 201, parameters: { height: 3 } },
    ])
  })

  test('is refused with its own problems, each with one row in the audit', async () => {
    const { server, mow, rows } = await lawnFarm()
    expectProblem(await mow('{"height":-1}'), 409, 'settings_changed', { retry: true })
    expectProblem(await mow('{"height":"low"}'), 400, 'invalid_parameter', { parameter: 'height' })
    expectProblem(await mow('x'), 400, 'invalid_parameter')
    expectProblem(await mow(' '.repeat(2000)), 413, 'payload_too_large')
    expectProblem(await mow('\u0001'.repeat(1024)), 400, 'invalid_parameter')
    expectProblem(await askWithKey(server, 'POST', '/lawn'), 415, 'unsupported_media_type')
    expect((await rows()).map(({ outcome, status }) => [outcome, status])).toEqual(
      [415, 400, 413, 400, 400, 409].map((status) => ['refused', status]),
    )
    expect(lawn.mown).toEqual([])
  })

  test('a farm without it answers 501 that names the farm as the older one, with one row in the audit', async () => {
    const { mow, rows, server } = await lawnFarm({ listed: [...endpoints] })
    const refused = await mow('{"height":3}')
    expectProblem(refused, 501, 'unsupported')
    expect(refused.json).toMatchObject({
      error:
        'farmgate cannot do that. The one at the farm is older than the edge. Update farmgate at the farm.',
    })
    expect(await rows()).toMatchObject([{ action: 'mowLawn', outcome: 'failed', status: 501 }])
    expect((await askWithKey(server, 'GET', '/keys')).status).toBe(200)
  })

  test('a call over the rate of the link is 503 with Retry-After and is not made', async () => {
    const { mow } = await lawnFarm({ rates: { reads: 1, writes: 1 } })
    const statuses: number[] = []
    for (let count = 0; count < 12; count += 1) statuses.push((await mow('{"height":3}')).status)
    expect(statuses).toEqual([...Array<number>(10).fill(201), 503, 503])
    const limited = await mow('{"height":3}')
    expectProblem(limited, 503, 'game_unavailable', { retry: true })
    expect(limited.json).toMatchObject({ error: expect.stringContaining('The farm limits how often') })
    expect(lawn.mown).toHaveLength(10)
  })
})

describe('a forwarded write', () => {
  test('is unknown when the link is cut before its answer, and its one row in the audit says that it was made', async () => {
    const { mow, wire, rows } = await lawnFarm()
    const { reached, release } = hold()
    const answer = mow('{"height":4}')
    await reached
    wire.cut()
    const unknown = await answer
    expectProblem(unknown, 504, 'game_timeout')
    expect(unknown.json).toMatchObject({
      error: 'The farm did not answer; whether the change was made is unknown',
    })
    release()
    await eventually(async () =>
      expect(await rows()).toMatchObject([{ action: 'mowLawn', outcome: 'done', status: 201 }]),
    )
    expect(lawn.mown).toEqual([4])
  })

  test('is not made without a link, and can be repeated', async () => {
    const { mow, link, rows } = await lawnFarm()
    await link.close()
    const refused = await eventually(async () => {
      const answer = await mow('{"height":5}')
      expect(answer.status).toBe(503)
      return answer
    })
    expectProblem(refused, 503, 'game_unavailable', { retry: true })
    expect([lawn.mown, await rows()]).toEqual([[], []])
  })
})

describe('a forwarded stream', () => {
  test('arrives whole and in order', async () => {
    const { picture } = await lawnFarm()
    const bytes = new Uint8Array(await (await picture(5)).arrayBuffer())
    expect(bytes.length).toBe(5 * 300_000)
    expect([0, 1, 2, 3, 4].map((piece) => bytes[piece * 300_000 + 299_999])).toEqual([1, 2, 3, 4, 5])
  })

  test('is made no faster than the client reads it, and ends at the farm when the client leaves', async () => {
    const { picture, server } = await lawnFarm()
    const leaving = new AbortController()
    const response = await picture(10_000, { signal: leaving.signal })
    await response.body?.getReader().read()
    // Sockets hold a few megabytes on the way; the whole would be three gigabytes.
    for (let count = 0; count < 50; count += 1) await askWithKey(server, 'GET', '/keys')
    expect(lawn.pieces).toBeLessThan(200)
    leaving.abort()
    await eventually(() => expect(lawn.cancelled).toBe(1))
  })

  test('ends broken when the link is cut, never as if it were whole', async () => {
    const { picture, wire } = await lawnFarm()
    const response = await picture(3)
    const { reached, release } = hold()
    const body = response.arrayBuffer()
    body.catch(() => undefined)
    await reached
    wire.cut()
    await expect(body).rejects.toThrow()
    release()
  })

  test('of HEAD is not opened at the farm', async () => {
    const { picture } = await lawnFarm()
    const response = await picture(3, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream'])
    expect([lawn.pieces, lawn.cancelled]).toEqual([0, 1])
  })
})

describe('a forwarded upload', () => {
  /** Nothing more comes after the first pieces. */
  const unfinished = (pieces: number) => {
    let left = pieces
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1
        if (left >= 0) controller.enqueue(new Uint8Array(100_000).fill(1))
        else return new Promise(() => undefined)
      },
    })
  }
  test('arrives whole at the farm, with one row in the audit', async () => {
    const { sow, rows } = await lawnFarm()
    const seeds = new Uint8Array(maxSeeds).map((_, at) => at % 251)
    const sum = seeds.reduce((all, byte) => all + byte, 0)
    const sown = await sow(seeds)
    expect([sown.status, sown.json]).toEqual([201, { seeds: maxSeeds, sum }])
    expect(await rows()).toMatchObject([{ action: 'sowLawn', outcome: 'done', status: 201 }])
  })

  test('is sent no faster than the farm takes it', async () => {
    const { sow, server } = await lawnFarm()
    const { reached, release } = hold()
    const sown = sow(new Uint8Array(maxSeeds))
    await reached
    for (let count = 0; count < 20; count += 1) await askWithKey(server, 'GET', '/keys')
    expect(lawn.pieces).toBe(0)
    release()
    expect((await sown).status).toBe(201)
  })

  test('is 413 when it is too large without a stated length, and 415 when it is not a zip', async () => {
    const { sow } = await lawnFarm()
    const pieces = new Blob([new Uint8Array(maxSeeds + 1)]).stream()
    expectProblem(await sow(pieces), 413, 'payload_too_large')
    expectProblem(
      await sow('x', { headers: { 'Content-Type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    )
    expect(lawn.mown).toEqual([])
  })

  test('ends early at the farm when its sender leaves, and changes nothing', async () => {
    const { sow, rows } = await lawnFarm()
    const leaving = new AbortController()
    const sown = sow(unfinished(3), { signal: leaving.signal })
    sown.catch(() => undefined)
    await eventually(() => expect(lawn.pieces).toBeGreaterThan(0))
    leaving.abort()
    await expect(sown).rejects.toThrow()
    await eventually(async () =>
      expect(await rows()).toMatchObject([{ action: 'sowLawn', outcome: 'refused', status: 400 }]),
    )
    expect(lawn.mown).toEqual([])
  })

  test('is refused at once when the farm refuses it, although more of it would come', async () => {
    const { sow } = await lawnFarm()
    expectProblem(await sow(unfinished(2), {}, 7), 409, 'settings_changed', { retry: true })
  })

  test('is unknown when the link is cut', async () => {
    const { sow, wire } = await lawnFarm()
    const sown = sow(unfinished(2))
    await eventually(() => expect(lawn.pieces).toBeGreaterThan(0))
    wire.cut()
    expectProblem(await sown, 504, 'game_timeout')
    expect(lawn.mown).toEqual([])
  })

  test('to a farm without the endpoint is 501, and the link stays', async () => {
    const { sow, link } = await lawnFarm({ listed: [...endpoints] })
    expectProblem(await sow(new Uint8Array(maxSeeds)), 501, 'unsupported')
    expect(link.isOpen).toBe(true)
  })
})

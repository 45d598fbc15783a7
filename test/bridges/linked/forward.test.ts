/** Forwarded calls at the edge: the answers of a newer, or hostile, farm. */

import * as v from 'valibot'
import { expect, test } from 'vitest'
import { forwardOver } from '../../../bridges/linked/forward.ts'
import { downloadBackup } from '../../../handlers/endpoints/download-backup.ts'
import { makeDiscordCode } from '../../../handlers/endpoints/make-discord-code.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import { Problem } from '../../../handlers/problem.ts'
import { Stream } from '../../../handlers/stream.ts'
import { parseJson, stringifyJson } from '../../../lib/json.ts'

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
  const error = await errorOf(forward(makeDiscordCode, call, () => true))
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
    const error = await errorOf(answering(answer).forward(makeDiscordCode, call, () => true))
    expect(error).toBeInstanceOf(FarmError)
    expect(error).toMatchObject({ failure: { kind: 'bad_response', of: 'farm', write: true } })
  }
})

test('a stream has the type that its endpoint names and no header that could harm other farms of the edge', async () => {
  const headers = { ETag: '"one"', 'Set-Cookie': 'a=b', 'Content-Security-Policy': '' }
  const { forward } = answering({ stream: { id: 3, status: 200, type: 'text/html', headers } })
  const { result } = await forward(downloadBackup, call, () => true)
  expect(result).toBeInstanceOf(Stream)
  expect(result).toMatchObject({ type: 'application/zip', headers: { ETag: '"one"' } })
  expect(Object.keys(Object(result).headers)).toEqual(['ETag'])
})

test('a stream is aborted when its key is no longer valid, and is ended at the farm', async () => {
  const { forward, cancelled } = answering(
    { stream: { id: 3, status: 200, headers: {} } },
    { base64: 'AQID' },
    { base64: 'AQID' },
  )
  let isGood = true
  const { result } = await forward(downloadBackup, call, () => isGood)
  const reader = Object(result).body.getReader()
  expect(await reader.read()).toEqual({ done: false, value: new Uint8Array([1, 2, 3]) })
  isGood = false
  await expect(reader.read()).rejects.toThrow('the key has ended')
  expect(cancelled).toEqual([3])
})

/** Invalid JSON bodies (docs/api.md) of every endpoint that requires one, generated from the endpoints. */
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const withBody = endpoints.flatMap(({ method, path, parameters, body }) => {
  const query = Object.entries(parameters).map(([name, { example = '' }]) => `${name}=${example}`)
  return body?.type === undefined ? [] : [{ method, path: [path, ...query].join('?'), body }]
})

export function bodiesContract({ start }: RuntimeUnderTest): void {
  const server = sharedServer(start)
  describe.each(withBody)(
    'the body of $method $path',
    ({ method, path, body: { example, maxBytes, isOptional } }) => {
      const sent = Object(example) as object
      const send = (body: string, type = 'application/json') =>
        askWithKey(server(), method, path, { headers: { 'Content-Type': type }, body })

      test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
        'is refused with 415 as %s',
        async (type) => {
          expectProblem(await send(JSON.stringify(sent), type), 415, 'unsupported_media_type')
        },
      )

      test('is at most 16 KiB', async () => {
        expect(maxBytes).toBe(16 * 1024)
        const reply = await send(JSON.stringify(sent).padEnd(maxBytes + 1))
        expectProblem(reply, 413, 'payload_too_large')
      })

      const broken = ['{', '5', 'null', '[]', '"a"']
      test.each(isOptional ? broken : ['', ...broken])('is refused as %j', async (body) => {
        expectProblem(await send(body), 400, 'invalid_parameter')
      })

      test('is never 500 when it has no members', async () => {
        const { status } = await send('{}')
        // A farm without a console answers 501 with the line to type.
        if (status !== 501) expect(status).toBeLessThan(500)
      })

      test('is refused with an unknown member, by its name', async () => {
        const reply = await send(JSON.stringify({ ...sent, notKnown: 1 }))
        expectProblem(reply, 400, 'invalid_parameter', { parameter: 'notKnown' })
        expect(Object(reply.json)['error']).toContain("'notKnown'")
      })
    },
  )
}

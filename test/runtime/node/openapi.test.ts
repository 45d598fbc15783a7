/** OpenAPI, checked against the schema of the format and against real answers. */
import { Validator } from '@seriousme/openapi-schema-validator'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { problemStatus } from '../../../handlers/problem.ts'
import { ask, askWithKey } from '../../contract/request.ts'
import { describedApi } from './described-api.ts'

const { server, described, operationOf, misfits } = await describedApi()

describe('OpenAPI', () => {
  test.each(['/openapi.json', '/swagger/v1/swagger.json'])('%s is valid OpenAPI 3.1', async (path) => {
    const validator = new Validator()
    const document = v.parse(v.looseObject({}), JSON.parse((await ask(server, 'GET', path)).text))
    const { valid, errors } = await validator.validate(document)
    expect([valid, errors ?? []]).toEqual([true, []])
    expect(validator.version).toBe('3.1')
  })

  test('every endpoint is described with operationId and summary, each id once', () => {
    const ids = Object.values(described.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
    for (const { method, path, operationId, summary } of endpoints)
      expect(operationOf(method, path)).toMatchObject({ operationId, summary })
    for (const path of ['/metrics', '/ws']) expect(operationOf('GET', path).summary).not.toBe('')
  })

  test('every parameter is described with a schema that its example matches', () => {
    for (const { method, path, parameters } of endpoints) {
      const listed = operationOf(method, path).parameters.filter((parameter) => parameter.in === 'query')
      expect(listed.map(({ name }) => name)).toEqual(Object.keys(parameters))
      for (const { name, required, schema, example } of listed) {
        expect(required).toBe(parameters[name]?.required)
        if (example !== undefined)
          expect([
            path,
            name,
            misfits(
              schema,
              Number.isSafeInteger(Number(example)) || typeof example !== 'bigint'
                ? example
                : Number(example),
            ),
          ]).toEqual([path, name, null])
      }
    }
  })

  test('records are named schemas, and every answer refers to them by $ref', () => {
    expect(Object.keys(described.components.schemas)).toEqual(
      expect.arrayContaining([
        'Player',
        'Players',
        'Status',
        'Farmhand',
        'Farmhands',
        'Cabin',
        'Cabins',
        'Settings',
        'Stats',
        'Screenshot',
        'PasswordProtection',
        'NewGame',
        'Error',
      ]),
    )
    for (const [path, name] of [
      ['/players', 'Players'],
      ['/wait/players', 'Players'],
      ['/farmhands', 'Farmhands'],
      ['/status', 'Status'],
      ['/cabins', 'Cabins'],
      ['/settings', 'Settings'],
    ] as const)
      expect(operationOf('GET', path).responses['200']?.content?.['application/json']?.schema).toEqual({
        $ref: `#/components/schemas/${name}`,
      })
    expect(described.components.schemas['Players']).toMatchObject({
      properties: { players: { items: { $ref: '#/components/schemas/Player' } } },
    })
  })

  test('the example of a write without an answer does not say that trying again can help', () => {
    const example = (method: string, path: string) =>
      operationOf(method, path).responses['504']?.content?.['application/json']?.example
    expect(example('POST', '/time')).not.toHaveProperty('retry')
    expect(example('GET', '/players')).toHaveProperty('retry', true)
  })

  test('Retry-After is described on the responses that carry it, and on no others', () => {
    const carrying =
      /rate_limited|unavailable|not_ready|save_in_progress|saves_locked|not_configured|settings_changed|too_many_clients|game_timeout/
    for (const [path, item] of Object.entries(described.paths))
      for (const { responses } of Object.values(item))
        for (const [status, { description, headers = {} }] of Object.entries(responses))
          expect([path, status, 'Retry-After' in headers]).toEqual([
            path,
            status,
            Number(status) >= 400 && carrying.test(description),
          ])
  })

  test('every operation requires a key that has its scope, except the public ones', () => {
    for (const { method, path, access, scope } of endpoints) {
      const { security } = operationOf(method, path)
      const ofAKey = [{ key: scope === undefined ? [] : [scope] }]
      expect([path, security]).toEqual([path, access === 'public' ? expect.arrayContaining([{}]) : ofAKey])
    }
    expect(described['security']).toEqual([{ key: [] }])
  })

  test('every error is described under its status with the common error schema', () => {
    for (const { method, path, access, problems } of endpoints) {
      const { responses } = operationOf(method, path)
      for (const code of [
        ...problems,
        'internal_error',
        'rate_limited',
        ...(access === 'key' ? ['unauthorized' as const] : []),
      ] as const)
        expect([path, code, responses[problemStatus[code]]?.description ?? '']).toEqual([
          path,
          code,
          expect.stringMatching(code === 'wait_timeout' ? /time/ : code),
        ])
    }
    const codes = v.parse(
      v.looseObject({ properties: v.looseObject({ code: v.looseObject({ enum: v.array(v.string()) }) }) }),
      described.components.schemas['Error'],
    )
    expect(codes.properties.code.enum).toEqual(expect.arrayContaining(['invalid_parameter', 'game_timeout']))
  })

  test('every JSON answer has an example that matches its schema', () => {
    for (const [path, item] of Object.entries(described.paths))
      for (const { responses } of Object.values(item))
        for (const [status, { content }] of Object.entries(responses)) {
          const body = content?.['application/json']
          if (body === undefined) continue
          expect([path, status, body.example]).toEqual([path, status, expect.anything()])
          const example = JSON.parse(
            JSON.stringify(body.example, (_key, value) =>
              typeof value === 'bigint' ? Number(value) : value,
            ),
          )
          expect([path, status, misfits(body.schema, example)]).toEqual([path, status, null])
        }
  })

  test('real answers match their described schemas', async () => {
    await server.farm.join({ id: 2n ** 62n, name: 'Described' })
    const calls = [
      ...endpoints
        .filter(
          ({ method, parameters }) =>
            method === 'GET' && !Object.values(parameters).some(({ required }) => required),
        )
        .map(({ path }) => ['GET', path] as const),
      ['POST', '/time?value=900'],
      ['POST', '/time?value=1'],
      ['POST', '/rendering?fps=1'],
      ['POST', '/roles/admin?name=described'],
      ['POST', '/roles/admin?name=nobody'],
      ['DELETE', '/farmhands?name=described'],
      ['DELETE', '/farmhands'],
    ] as const
    for (const [method, path] of calls)
      for (const reply of [await askWithKey(server, method, path), await ask(server, method, path)]) {
        const response = operationOf(method, path.replace(/\?.*/, '')).responses[reply.status]
        expect([method, path, reply.status, response === undefined]).toEqual([
          method,
          path,
          reply.status,
          false,
        ])
        const schema = response?.content?.['application/json']?.schema
        if (schema !== undefined)
          expect([path, reply.status, misfits(schema, JSON.parse(reply.text))]).toEqual([
            path,
            reply.status,
            null,
          ])
      }
  })
})

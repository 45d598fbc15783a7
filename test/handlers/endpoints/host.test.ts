import { describe, expect, test } from 'vitest'
import { cancelHostOperation } from '../../../handlers/endpoints/cancel-host-operation.ts'
import { host } from '../../../handlers/endpoints/host.ts'
import { restartGame, startGame, stopGame } from '../../../handlers/endpoints/host-actions.ts'
import { hostLog } from '../../../handlers/endpoints/host-log.ts'
import { typeAtConsole } from '../../../handlers/endpoints/type-at-console.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import type { Host } from '../../../handlers/host.ts'
import { problemBody } from '../../../handlers/problem.ts'
import { call, problemFrom } from '../plain-game.ts'

const { operation } = restartGame.example
const usual = { when: 'now', warnMinutes: [10, 5, 1], backup: true, force: false }

/** A host that begins everything, and remembers what. */
function remembering() {
  const asked: unknown[] = []
  const port: Partial<Host> = {
    async beginOperation(...what) {
      asked.push(what)
      return operation
    },
  }
  return { asked, port }
}
const act = (body: string, port: Partial<Host>) => call(restartGame, '', {}, { body }, {}, port)

test('the three actions begin their operation in the name of the caller; no body is {}', async () => {
  const { asked, port } = remembering()
  for (const [endpoint, action] of [
    [startGame, 'start'],
    [stopGame, 'stop'],
    [restartGame, 'restart'],
  ] as const) {
    const holder = { id: 'k1', name: 'Night watch', scopes: ['control' as const], ref: 'k1' }
    expect(await call(endpoint, '', {}, { holder }, {}, port)).toEqual({ operation })
    expect(asked.pop()).toEqual([action, usual, { id: 'k1', name: 'Night watch' }])
  }
})

test('a body has what differs from the usual', async () => {
  const { asked, port } = remembering()
  await act('{"when":"night","warnMinutes":[],"backup":false,"force":true,"reason":"New mods"}', port)
  expect(asked.pop()).toEqual([
    'restart',
    { when: 'night', warnMinutes: [], backup: false, force: true, reason: 'New mods' },
    expect.anything(),
  ])
})

test.each([
  ['{"when":"soon"}', 'when'],
  ['{"warnMinutes":[1,5]}', 'warnMinutes'],
  ['{"warnMinutes":[5,5]}', 'warnMinutes'],
  ['{"warnMinutes":[61]}', 'warnMinutes'],
  ['{"warnMinutes":[0]}', 'warnMinutes'],
  ['{"warnMinutes":[1.5]}', 'warnMinutes'],
  ['{"warnMinutes":[60,50,40,30,20,10,9,8,7,6,5]}', 'warnMinutes'],
  ['{"warnMinutes":5}', 'warnMinutes'],
  ['{"backup":"yes"}', 'backup'],
  ['{"force":1}', 'force'],
  ['{"reason":""}', 'reason'],
  [`{"reason":"${'x'.repeat(201)}"}`, 'reason'],
  ['{"whne":"now"}', 'whne'],
  ['[]', undefined],
  ['{', undefined],
])('the body %s is refused, and nothing begins', async (body, parameter) => {
  const { asked, port } = remembering()
  const problem = await problemFrom(act(body, port))
  expect([problem.code, problem.details.parameter, asked]).toEqual(['invalid_parameter', parameter, []])
})

test('another operation is 409 with the one that runs', async () => {
  const busy = () => Promise.reject(new FarmError({ kind: 'operation_running', operation }))
  const problem = await problemFrom(act('', { beginOperation: busy }))
  expect(problem.status).toBe(409)
  expect(problemBody(problem)).toMatchObject({ code: 'operation_running', operation })
})

test('an operation that is cancelled is the answer; one that is not there is 404', async () => {
  const cancelled = { ...operation, state: 'cancelled' as const }
  const port = { cancelOperation: async (id: string) => (id === operation.id ? cancelled : undefined) }
  expect(await call(cancelHostOperation, `id=${operation.id}`, {}, {}, {}, port)).toEqual({
    operation: cancelled,
  })
  const problem = await problemFrom(call(cancelHostOperation, 'id=another', {}, {}, {}, port))
  expect([problem.code, problem.status]).toEqual(['operation_not_found', 404])
})

test('the log has 200 lines unless more or fewer are asked for, at most 2,000', async () => {
  const asked: number[] = []
  const port: Partial<Host> = {
    async hostLog(lines) {
      asked.push(lines)
      return [{ text: 'a line' }]
    },
  }
  for (const search of ['', 'lines=1', 'lines=2000']) await call(hostLog, search, {}, {}, {}, port)
  expect(asked).toEqual([200, 1, 2000])
  for (const search of ['lines=0', 'lines=2001', 'lines=many'])
    expect((await problemFrom(call(hostLog, search, {}, {}, {}, port))).code).toBe('invalid_parameter')
})

describe('the console', () => {
  const typed: string[] = []
  const port: Partial<Host> = {
    async typeLine(line) {
      typed.push(line)
      return ['an answer']
    },
  }
  const type = (line: unknown) => call(typeAtConsole, '', {}, { body: JSON.stringify({ line }) }, {}, port)

  test.each(['help', 'say Grüße 🐔', 'x'.repeat(512)])('takes the line %j', async (line) => {
    expect(await type(line)).toEqual({ success: true, output: ['an answer'] })
    expect(typed.pop()).toBe(line)
  })

  test.each(['', 'x'.repeat(513), 'two\nlines', 'bell\u0007', 'c1\u009b', 'del\u007f', 5, undefined])(
    'refuses the line %j',
    async (line) => {
      expect((await problemFrom(type(line))).code).toBe('invalid_parameter')
      expect(typed).toEqual([])
    },
  )
})

test('without a host every call is unsupported, and the message names GAME_HOST', async () => {
  const problem = await problemFrom(call(host, ''))
  expect([problem.status, problem.message]).toEqual([501, expect.stringContaining('GAME_HOST')])
})

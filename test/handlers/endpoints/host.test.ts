import { expect, test } from 'vitest'
import { host } from '../../../handlers/endpoints/host.ts'
import { restartGame, startGame, stopGame } from '../../../handlers/endpoints/host-actions.ts'
import { hostLog } from '../../../handlers/endpoints/host-log.ts'
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

test('another operation is 409 with the one that runs', async () => {
  const busy = () => Promise.reject(new FarmError({ kind: 'operation_running', operation }))
  const problem = await problemFrom(act('', { beginOperation: busy }))
  expect(problem.status).toBe(409)
  expect(problemBody(problem)).toMatchObject({ code: 'operation_running', operation })
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

test('without a host every call is unsupported, and the message names GAME_HOST', async () => {
  const problem = await problemFrom(call(host, ''))
  expect([problem.status, problem.message]).toEqual([501, expect.stringContaining('GAME_HOST')])
})

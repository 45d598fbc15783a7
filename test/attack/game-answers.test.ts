/** A game server that answers reads with anything: the API's answer is right, or a clear error. */
import * as v from 'valibot'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseJson } from '../../lib/json.ts'
import { startPair } from '../bridges/upstream/pair.ts'
import { tenthOfBudgets } from '../bridges/upstream-game.ts'
import type { Fault } from '../game-server/faults.ts'
import { reads } from '../game-server/reads.ts'
import { recordEndpoints as endpoints } from '../record-endpoints.ts'
import { eventually } from '../wait.ts'
import { hostileAnswers, limited, retryAfters } from './game/answers.ts'
import { hostileValues, third, withMember } from './game/records.ts'
import { send } from './requests/send.ts'

/** Only the test makes the bridge call the game. */
const still = { ...tenthOfBudgets, keepFor: 0, pollEvery: 3_600_000, brokenAfter: 3_600_000 }

const pair = await startPair({ limits: still })
pair.server.world.join('Abby', 2n ** 53n + 1n)
afterAll(() => pair.close())

/** Reads that the API answers from one answer of the game. */
const asked = endpoints.filter(
  ({ method, path, isProbe }) => method === 'GET' && !isProbe && !path.startsWith('/wait/') && path in reads,
)
const ask = (path: string) => send(pair.gate.url, 'GET', path, {})

/** Expects 200 with a record of the endpoint's schema, or an error whose cause is the game. */
async function expectRightOrClear(
  { path, result }: (typeof asked)[number],
  fault: Fault,
  what: unknown,
): Promise<void> {
  pair.server.faults.set(fault, `GET ${path}`)
  const { status, json } = await ask(path)
  if (status === 200) {
    const { issues = [] } = v.safeParse(result, json)
    const wrong = issues.map(({ message }) => message)
    expect({ what, wrong }).toEqual({ what, wrong: [] })
  } else {
    expect({ what, status, json }).toEqual({
      what,
      status: expect.toBeOneOf([501, 502, 503, 504]),
      json: expect.objectContaining({ success: false, error: expect.any(String), code: expect.any(String) }),
    })
  }
}

/** Expects that a right answer is served again. */
async function expectServed(path: string): Promise<void> {
  pair.server.faults.clear()
  await eventually(async () => expect((await ask(path)).status).toBe(200))
}

describe.each(asked)('GET $path', (endpoint) => {
  const { path } = endpoint
  const record = async () => parseJson(await (await fetch(`${pair.server.url}${path}`)).text())

  test('without a member', async () => {
    for (const { where, text } of withMember(await record(), undefined))
      await expectRightOrClear(endpoint, answer(text), where)
    await expectServed(path)
  })

  test('with a hostile value in a member', async () => {
    const right = await record()
    for (const [at, value] of hostileValues.entries())
      for (const { where, text } of third(withMember(right, value), at))
        await expectRightOrClear(endpoint, answer(text), { where, value: value.slice(0, 80) })
    await expectServed(path)
  })

  test('with any other answer', async () => {
    for (const [what, fault] of hostileAnswers) await expectRightOrClear(endpoint, fault, what)
    await expectServed(path)
  })
})

test.each(retryAfters)(
  'a game that answers 429 with Retry-After: %j is unavailable, with a number of seconds to wait',
  async (text) => {
    const own = await startPair({ limits: still })
    onTestFinished(own.close)
    own.server.faults.set(limited(text), 'GET /settings')
    const { status, headers } = await send(own.gate.url, 'GET', '/settings', {})
    expect([status, headers['retry-after']]).toEqual([503, expect.stringMatching(/^\d{1,4}$/)])
  },
)

const answer = (body: string): Fault => ({
  kind: 'status',
  status: 200,
  body,
  headers: { 'content-type': 'application/json' },
})

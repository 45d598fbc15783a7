import { describe, expect, test } from 'vitest'
import { openToAll } from '../../../lib/keys.ts'
import { originRules } from '../../../runtime/http/cors.ts'
import { createGate } from '../../../runtime/http/gate.ts'
import { limitsOf } from '../../../runtime/http/rate-limit.ts'

const counter = { inc() {} }

function started() {
  let now = 0
  const logged: { readonly fields: object; readonly message: string }[] = []
  const gate = createGate({
    keys: openToAll,
    limits: limitsOf({ reads: 0, writes: 0, anonymous: 0, failedKeys: 0 }, () => now),
    origins: originRules([]),
    page: { origin: () => undefined, cookie: '' },
    throttled: () => {},
    limited: () => {},
    metrics: { rateLimited: counter, failedKeys: counter } as never,
    log: { warn: (fields, message) => void logged.push({ fields, message }) },
    monotonic: () => now,
  })
  const ask = (origin: string) =>
    gate.checkOrigin({
      header: (name) => ({ origin, host: 'farm.example' })[name],
      address: '192.0.2.1',
      headBytes: 0,
      manyKeys: false,
    })
  const pass = (milliseconds: number) => {
    now += milliseconds
  }
  return { logged, ask, pass }
}

describe('a refused origin', () => {
  test('is logged at most once a minute, with the variable that would allow it', () => {
    const { logged, ask, pass } = started()
    for (const origin of ['https://one.example', 'https://one.example', 'https://two.example'])
      expect(() => ask(origin)).toThrow(/ALLOWED_ORIGINS/)
    expect(logged).toEqual([
      { fields: { origin: 'https://one.example' }, message: expect.stringContaining('ALLOWED_ORIGINS') },
    ])
    pass(60_000)
    expect(() => ask('https://two.example')).toThrow()
    expect(logged.slice(1)).toEqual([
      { fields: { origin: 'https://two.example' }, message: expect.any(String) },
    ])
  })

  test('is shortened in the log and written without control characters', () => {
    const { logged, ask } = started()
    expect(() => ask(`https://x\n\u001b[31m{"level":"error"}${'y'.repeat(5000)}`)).toThrow()
    expect(logged).toEqual([
      {
        fields: { origin: expect.stringMatching(/^https:\/\/x\?\?\[31m\{"level":"error"\}y{60,80}…$/) },
        message: expect.any(String),
      },
    ])
  })
})

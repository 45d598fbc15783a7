import { describe, expect, test, vi } from 'vitest'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { FarmError } from '../../../handlers/farm-error.ts'
import { ask, problem } from './ask.ts'

describe('endpoints of the game beyond the common contract', () => {
  const paths = ['/stats', '/screenshot', '/clock-speed', '/auth', '/auth/timeout', '/newgame', '/reload']
  const waits = ['/wait/status', '/wait/players', '/wait/farmhands', '/wait/health']

  test.each([...paths, ...waits, '/diagnostics/state'])('%s needs the key', (path) => {
    expect(endpoints.filter((one) => one.path === path).map(({ access }) => access)).toEqual(['key'])
  })

  test.each([
    ['getStats', 'stats'],
    ['getScreenshot', 'screenshot'],
    ['getPasswordProtection', 'passwordProtection'],
    ['getDiagnosticsState', 'diagnostics'],
  ] as const)(
    '%s passes on the record of the game, or is 501 if the game has none',
    async (operation, method) => {
      const record = {} as never
      expect(await ask(operation, { [method]: async () => record })).toBe(record)
      const cannot = async () => {
        throw new FarmError({ kind: 'unsupported', what: 'do that' })
      }
      const { status, message } = await problem(operation, { [method]: cannot })
      expect({ status, message }).toEqual({ status: 501, message: 'This game server cannot do that' })
    },
  )

  test('POST /clock-speed answers the multiplier and the new length of a game minute', async () => {
    const setClockSpeed = vi.fn(async () => 1400)
    const answer = await ask('setClockSpeed', { setClockSpeed }, { search: 'multiplier=0.5' })
    expect(answer).toEqual({ success: true, multiplier: 0.5, effectiveMs: 1400 })
    expect(setClockSpeed.mock.calls).toEqual([[0.5]])
  })

  test.each(['NaN', 'Infinity', '-1', '0', '1e9', '1000000000', '0x10', '1,5', '.5', '5.', '+1', '', '%201'])(
    'POST /clock-speed?multiplier=%s is refused',
    async (multiplier) => {
      const { code, details } = await problem('setClockSpeed', {}, { search: `multiplier=${multiplier}` })
      expect({ code, details }).toEqual({ code: 'invalid_parameter', details: { parameter: 'multiplier' } })
    },
  )

  test('POST /auth/timeout answers the new seconds and the previous ones', async () => {
    const game = { setLoginTimeout: async () => 120 }
    expect(await ask('setLoginTimeout', game, { search: 'value=60' })).toEqual({
      success: true,
      timeoutSeconds: 60,
      previousTimeoutSeconds: 120,
    })
    for (const value of ['-1', '1.0', '2147483648', ''])
      expect((await problem('setLoginTimeout', {}, { search: `value=${value}` })).code).toBe(
        'invalid_parameter',
      )
  })

  test('GET /diagnostics/state passes on its three query parameters', async () => {
    const diagnostics = vi.fn(async () => ({}))
    await ask(
      'getDiagnosticsState',
      { diagnostics },
      { search: 'masterFlag=ccPantry&MASTEREVENT=611439&x=1' },
    )
    expect(diagnostics.mock.calls).toEqual([
      [
        [
          ['masterFlag', 'ccPantry'],
          ['masterEvent', '611439'],
        ],
      ],
    ])
  })
})

/** Query parameters, as docs/api.md says: what is refused, and with which parameter named. */
import { describe, expect, test } from 'vitest'
import { askWithKey, expectProblem } from '../request.ts'
import type { RuntimeUnderTest } from '../server-under-test.ts'
import { sharedServer } from '../shared-server.ts'

const notIntegers = [
  '+5',
  '%2B5',
  '%205',
  '5%20',
  '5.0',
  '5.',
  '.5',
  '5e1',
  '0x5',
  '５',
  '٥',
  '--5',
  '-',
  '1_0',
  'NaN',
  'Infinity',
  'true',
  '%00',
  '1%00',
  '5,6',
]
const target = ['name', 'playerId'] as const

export function parameterContract({ start }: RuntimeUnderTest): void {
  describe('parameters', () => {
    const server = sharedServer(start)
    const refuses = async (method: string, path: string, parameter?: string) =>
      expectProblem(
        await askWithKey(server(), method, path),
        400,
        'invalid_parameter',
        parameter === undefined ? {} : { parameter },
      )

    test.each(notIntegers)('integers are -?[0-9]+ and nothing else: %j is 400', async (text) => {
      await refuses('POST', `/rendering?fps=${text}`, 'fps')
      await refuses('POST', `/time?value=${text}`, 'value')
      await refuses('POST', `/roles/admin?playerId=${text}`, 'playerId')
      await refuses('DELETE', `/farmhands?playerId=${text}`, 'playerId')
    })

    test('a missing parameter is 400 and names it', async () => {
      await refuses('POST', '/rendering', 'fps')
      await refuses('POST', '/rendering?', 'fps')
      await refuses('POST', '/rendering?other=1', 'fps')
      await refuses('POST', '/time', 'value')
      await refuses('POST', '/farmhands/rebind?identity=1', 'playerId')
      await refuses('POST', '/farmhands/rebind?playerId=1', 'identity')
    })

    test('an empty parameter is 400', async () => {
      await refuses('POST', '/rendering?fps=', 'fps')
      await refuses('POST', '/rendering?fps', 'fps')
      await refuses('POST', '/time?value=', 'value')
      await refuses('POST', '/roles/admin?name=', 'name')
      await refuses('POST', '/roles/admin?name=%20%20', 'name')
      await refuses('DELETE', '/farmhands?playerId=', 'playerId')
      await refuses('POST', '/farmhands/rebind?playerId=1&identity=', 'identity')
    })

    test('a repeated parameter is 400, equal or not', async () => {
      await refuses('POST', '/rendering?fps=5&fps=5', 'fps')
      await refuses('POST', '/rendering?fps=5&FPS=6', 'fps')
      await refuses('POST', '/time?value=900&value=1000', 'value')
      await refuses('DELETE', '/farmhands?name=a&name=b', 'name')
    })

    test('a parameter that is not percent-encoded UTF-8 is 400', async () => {
      for (const text of ['%', '%z', '%zz', '%E0%A4', '%C3', '%ff', '%ED%A0%80'])
        await refuses('POST', `/roles/admin?name=${text}`, 'name')
    })

    test('an out-of-range parameter is 400', async () => {
      for (const fps of [-1, 241, 10 ** 9, '9'.repeat(400)])
        await refuses('POST', `/rendering?fps=${fps}`, 'fps')
      for (const value of [599, 2601, -900, 0, '9'.repeat(400)])
        await refuses('POST', `/time?value=${value}`, 'value')
    })

    test('minutes 60 to 99 are not a time of day', async () => {
      for (const value of [660, 1275, 699, 2599]) await refuses('POST', `/time?value=${value}`, 'value')
    })

    test.each([
      '9223372036854775808',
      '-9223372036854775809',
      '18446744073709551616',
      '9'.repeat(63),
      '9'.repeat(1000),
      '-99999999999999999999',
    ])('an int64 outside range is 400: %s', async (id) => {
      await refuses('POST', `/roles/admin?playerId=${id}`, 'playerId')
      await refuses('DELETE', `/farmhands?playerId=${id}`, 'playerId')
      await refuses('POST', `/farmhands/rebind?identity=1&playerId=${id}`, 'playerId')
    })

    test('the lowest and highest int64 are valid ids', async () => {
      for (const id of ['9223372036854775807', '-9223372036854775808', '0', '-0', '0007'])
        expectProblem(
          await askWithKey(server(), 'POST', `/roles/admin?playerId=${id}`),
          404,
          'player_not_found',
        )
    })

    test.each([
      ['POST', '/roles/admin'],
      ['DELETE', '/farmhands'],
    ])('%s %s with both or neither of name and playerId is 400', async (method, path) => {
      await refuses(method, path)
      await refuses(method, `${path}?other=1`)
      await refuses(method, `${path}?name=Abby&playerId=1`)
    })

    test.each(target)('unknown parameters beside %s are ignored', async (name) => {
      const { status } = await askWithKey(server(), 'POST', `/roles/admin?${name}=12345&x=%zz&&=&y`)
      expect(status).toBe(404)
    })

    test('an identity is decimal and fits 64 bits', async () => {
      for (const identity of ['-1', '0', '18446744073709551616', 'SN_1', '1.0', '9'.repeat(100)])
        await refuses('POST', `/farmhands/rebind?playerId=1&identity=${identity}`, 'identity')
    })
  })
}

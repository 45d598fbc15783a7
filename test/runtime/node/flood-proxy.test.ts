/** Rates behind a proxy: the address that counts (docs/security.md). */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { anonymous, asking, request, server } from './flooding.ts'
import { exchange, requestText, statusOf } from './raw-socket.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

describe('behind a proxy', () => {
  const from = (forwarded: string) => request('GET /players', `X-Forwarded-For: ${forwarded}`)

  test('a caller is the address of its client, in any spelling', async () => {
    const node = await server({ trustProxy: 1 })
    const { ask } = await asking(node.port)
    const spellings = [
      '2001:db8:1:2::1',
      '[2001:db8:1:2::1]:4711',
      '2001:DB8:0001:0002::99',
      'evil, 2001:db8:1:2:3:4:5:6',
      '192.0.2.9, 2001:db8:1:2::7',
    ]
    for (const spelling of spellings) expect(await ask(from(spelling))).toBe(401)
    for (const spelling of spellings) expect(await ask(from(spelling))).toBe(429)
    expect(await ask(from('2001:db8:1:3::1'))).toBe(401)
  })

  test('an invalid address counts as the address of the proxy', async () => {
    const node = await server({ trustProxy: 1 })
    const { ask } = await asking(node.port)
    for (const junk of ['unknown', '_secret', '1.2.3', 'x'.repeat(100), '"'])
      expect(await ask(from(junk))).toBe(401)
    expect(await ask(from('more junk'))).toBe(429)
    expect(await ask(anonymous)).toBe(429)
  })

  test('a remembered caller does not keep the whole header in memory', async () => {
    const node = await server({ trustProxy: 1 })
    const callers = async (block: number) => {
      for (let at = 0; at < 1000; at += 1) {
        const forwarded = `${'x'.repeat(14_000)}, ${100 + (at >> 7)}.${block}.111.${100 + (at & 127)}`
        expect(
          statusOf(
            await exchange(node.port, requestText('GET /players HTTP/1.1', `X-Forwarded-For: ${forwarded}`)),
          ),
        ).toBe(401)
      }
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await callers(101)
    expect((await callers(102)) - before).toBeLessThan(7 * 1024 * 1024)
  })
})

import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { hostProblem, isWrongHost, listenProblem } from '../../lib/listen-address.ts'

const variables = { host: 'API_HOST', port: 'API_PORT' }
const failed = (code: string) => Object.assign(new Error('listen failed'), { code })

describe('an address to listen on', () => {
  test.each(['127.0.0.1', '0.0.0.0', 'localhost'])('%s is accepted', async (host) => {
    expect(await hostProblem('API_HOST', host)).toBeUndefined()
  })

  // 192.0.2.0/24 is for documentation (RFC 5737): no machine has it.
  test.each([
    ['192.0.2.1', 'not an address of this machine'],
    ['http://127.0.0.1', 'neither an IP address nor a host name'],
    ['127.0.0.1:8080', 'neither an IP address nor a host name'],
  ])('%s is refused, and the message says why and what is accepted', async (host, words) => {
    expect(await hostProblem('API_HOST', host)).toEqual({
      variable: 'API_HOST',
      problem: expect.stringMatching(new RegExp(`${words}; use an address of this machine`)),
    })
  })
})

describe('a server that cannot listen', () => {
  test('because the port is in use is reported with the variable that changes the port', async () => {
    const first = createServer()
    await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve))
    const address = first.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const error = await new Promise((resolve) =>
      createServer().once('error', resolve).listen(port, '127.0.0.1'),
    )
    expect(listenProblem(error, { port, host: '127.0.0.1' }, variables)).toMatch(
      new RegExp(`^port ${port} is in use .*; set API_PORT to another port.*$`),
    )
    first.close()
  })

  test('because the port needs privileges or the name does not resolve is reported', () => {
    const at = { port: 80, host: 'farm' }
    expect(listenProblem(failed('EACCES'), at, variables)).toContain('set API_PORT to 1024 or more')
    expect(listenProblem(failed('ENOTFOUND'), at, variables)).toMatch(/^API_HOST is "farm", .* resolves;/)
    expect(isWrongHost(failed('ENOTFOUND'))).toBe(true)
  })

  test('with any other error gets no explanation', () => {
    expect(listenProblem(failed('EMFILE'), { port: 80, host: undefined }, variables)).toBeUndefined()
    expect(isWrongHost(new Error('constructor'))).toBe(false)
  })
})

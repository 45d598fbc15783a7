/** The addresses that deliveries can go to. */
import type { LookupAddress } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { poster } from '../../../services/webhooks/post.ts'
import {
  isPublicAddress,
  type Resolve,
  receiverAddress,
} from '../../../services/webhooks/receiver-address.ts'
import { aNotifiedFarm, joins } from './a-notified-farm.ts'
import { aReceiver, status } from './a-receiver.ts'

test.each([
  [
    'private',
    ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
  ],
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['link-local', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0']],
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  ['shared (CGNAT)', ['100.64.0.1', '100.127.255.254']],
  ['an IPv4 address in IPv6', ['::ffff:10.0.0.1', '::ffff:8.8.8.8', '::7f00:1', '::ffff:0:a00:1']],
  ['NAT64, 6to4 and Teredo', ['64:ff9b::a00:1', '64:ff9b:1::a00:1', '2002:a00:1::', '2001::1']],
  ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
  ['reserved', ['192.0.2.1', '198.18.0.1', '203.0.113.1', '240.0.0.1', '2001:db8::1', '100::1', '4000::1']],
  ['no address', ['', 'localhost', '1.2.3', '300.1.1.1']],
])('%s is refused', (_what, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([])
})

test('addresses of the internet are not refused', () => {
  const addresses = ['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.0.1', '100.128.0.1', '2606:4700::1111']
  expect(addresses.filter(isPublicAddress)).toEqual(addresses)
})

const at = (...addresses: string[]): readonly LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
/** Gives each answer once, then the last one forever; counts the calls. */
function resolver(...answers: (readonly LookupAddress[])[]) {
  const asked: string[] = []
  const resolve: Resolve = async (host) => {
    asked.push(host)
    return answers[Math.min(asked.length, answers.length) - 1] ?? []
  }
  return { asked, resolve }
}
const lookedUp = (resolve: Resolve, host: string, allowed: readonly string[] = []) =>
  new Promise<unknown>((answer) =>
    receiverAddress(resolve, allowed).lookup(host, { all: true }, (error, found) => answer(error ?? found)),
  )
const refused = expect.objectContaining({ name: 'RefusedAddress' })

describe('a name', () => {
  test('is refused at every resolution: one that was public and has become private (DNS rebinding)', async () => {
    const { resolve } = resolver(at('8.8.8.8'), at('127.0.0.1'))
    expect(await lookedUp(resolve, 'rebind.example')).toEqual(at('8.8.8.8'))
    expect(await lookedUp(resolve, 'rebind.example')).toEqual(refused)
  })

  test('with public and private addresses is connected to only at the public ones', async () => {
    const { resolve } = resolver(at('10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111'))
    expect(await lookedUp(resolve, 'both.example')).toEqual(at('8.8.8.8', '2606:4700::1111'))
  })

  test('that is named in WEBHOOK_PRIVATE_HOSTS can be private, in any case', async () => {
    const { resolve } = resolver(at('192.168.1.5'))
    expect(await lookedUp(resolve, 'NTFY.lan', ['ntfy.LAN'])).toEqual(at('192.168.1.5'))
    expect(await lookedUp(resolve, 'other.lan', ['192.168.1.5'])).toEqual(at('192.168.1.5'))
    expect(await lookedUp(resolve, 'other.lan', ['ntfy.lan'])).toEqual(refused)
  })

  test('is resolved once for each attempt, and the connection goes to the checked address', async () => {
    const receiver = await aReceiver()
    const { asked, resolve } = resolver(at('127.0.0.1'), at('10.0.0.1'))
    const farm = aNotifiedFarm({ resolve })
    const { id } = await farm.listen(`http://rebind.example:${receiver.port}/hook`)
    farm.emit(joins('Abby'))
    await farm.eventuallyDeliveries(id, ([first]) => first?.state === 'delivered')
    expect(asked).toEqual(['rebind.example'])
    farm.emit(joins('Sam'))
    const [second] = await farm.eventuallyDeliveries(
      id,
      ([one]) => one?.tries === 1 && one.state === 'waiting',
    )
    expect(second?.error).toBe('refused_address')
    expect([asked.length, receiver.received.length]).toEqual([2, 1])
  })

  test('without an address is unresolved', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    const farm = aNotifiedFarm({ resolve })
    const { id } = await farm.listen('https://nowhere.example/hook')
    farm.emit(joins('Abby'))
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 1)
    expect(first?.error).toBe('unresolved')
  })
})

/** Ways to write an IPv4 address as the host of a URL. */
function formsOf(address: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  const hex = (value: number, digits = 0) => value.toString(16).padStart(digits, '0')
  const [high, low] = [hex(a * 256 + b), hex(c * 256 + d)]
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  return [
    address,
    `${address}.`,
    String(whole),
    `0x${hex(whole)}`,
    `0${whole.toString(8)}`,
    [a, b, c, d].map((part) => `0x${hex(part)}`).join('.'),
    [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    address.replaceAll(/[0-9]/g, (digit) => `%3${digit}`),
    `[::ffff:${address}]`,
    `[64:ff9b::${high}:${low}]`,
    `[2002:${high}:${low}::]`,
  ]
}

test('63 ways to write addresses outside of the internet are refused, without a look-up', async () => {
  const addresses = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '192.168.0.1', '100.64.0.1']
  const hosts = [...addresses.flatMap(formsOf), '[::1]', '0x7f.1', '0']
  expect(new Set(hosts).size).toBe(63)
  const address = receiverAddress(async () => Promise.reject(new Error('looked up')), [])
  const post = poster({ address, timeout: 60_000, stopping: new AbortController().signal, now: Date.now })
  const ends = await Promise.all(hosts.map((host) => post(`http://${host}:1/`, { headers: {}, body: '' })))
  expect(ends).toEqual(hosts.map(() => ({ error: 'refused_address' })))
})

test('a webhook at a private address or at localhost is refused when it is made, unless WEBHOOK_PRIVATE_HOSTS lists it', async () => {
  const farm = aNotifiedFarm({ privateHosts: ['192.168.1.5'], resolve: async () => at('10.0.0.1') })
  const hosts = ['10.0.0.1', '[fd12::1]', '2130706433', 'localhost', 'LocalHost.', 'farm.localhost']
  for (const host of hosts)
    await expect(farm.listen(`http://${host}:8080/hook`)).rejects.toMatchObject({
      failure: { kind: 'refused_address', host: new URL(`http://${host}`).hostname },
    })
  expect(await farm.port.webhooks()).toEqual([])
  // Where a name leads to may change, so it is judged when a delivery is sent.
  for (const host of ['192.168.1.5', '8.8.8.8', 'ntfy.lan']) await farm.listen(`http://${host}:8080/hook`)
  expect(await farm.port.webhooks()).toHaveLength(3)
})

test('localhost is refused unless its name or its address is listed', () => {
  const refused = (...allowed: string[]) => receiverAddress(async () => [], allowed).refuses('localhost')
  expect([refused(), refused('localhost'), refused('127.0.0.1'), refused('::1')]).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test.each([301, 302, 303, 307, 308])(
  'a redirect (%i), to a private address or any other, is a failure and is not followed',
  async (code) => {
    const [receiver, inside] = [await aReceiver(), await aReceiver()]
    receiver.answers(status(code, { Location: inside.url }))
    const farm = aNotifiedFarm()
    const { id } = await farm.listen(receiver.url)
    farm.emit(joins('Abby'))
    const [first] = await farm.eventuallyDeliveries(id, ([one]) => one?.tries === 1)
    expect(first).toMatchObject({ state: 'waiting', error: 'redirect', status: code })
    expect(inside.received).toEqual([])
  },
)

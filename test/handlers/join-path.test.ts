import { expect, test } from 'vitest'
import { connectionOf, lobbyVisibility } from '../../handlers/join-path.ts'

test.each([
  ['SN_76561198000000001', { joinPath: 'relay', identity: '76561198000000001' }],
  ['GN_46000000000000001', { joinPath: 'galaxy', identity: '46000000000000001' }],
  ['SN_18446744073709551615', { joinPath: 'relay', identity: '18446744073709551615' }],
  ['L_192.168.1.5', { joinPath: 'lan' }],
  ['L_', { joinPath: 'lan' }],
])('a connection id %s is a transport and an identity', (id, connection) => {
  expect(connectionOf(id)).toEqual(connection)
})

test.each([
  '',
  'SN',
  'SN_',
  'SN_abc',
  'SN_-1',
  'SN_1 ',
  'GN_0x1',
  'sn_1',
  'XX_1',
  'SN_1\n2',
  ' SN_1',
  '76561198000000001',
])('anything else is unknown: %j', (id) => {
  expect(connectionOf(id)).toEqual({ joinPath: 'unknown' })
})

test('both lobbies are public whatever visibility the game chose', () => {
  expect(lobbyVisibility).toBe('public')
})

import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { type PlatformMessage, platformMessages } from '../../ticket/steam-messages.ts'

const require = createRequire(import.meta.url)
const list = require.resolve('steam-user/protobufs/generated/_load.js')

test('the message types that are built at their first use are all those of steam-user, with the same fields', () => {
  const messages = platformMessages()
  expect(require(list)).toBe(messages)
  delete require.cache[list]
  const whole: Record<string, Partial<PlatformMessage>> = require(list)
  const names = Object.keys(whole).filter((name) => typeof whole[name]?.encode === 'function')
  expect(names.length).toBeGreaterThan(2000)
  expect(names.filter((name) => messages[name] === undefined)).toEqual([])
  const fieldsOf = (message: Partial<PlatformMessage> | undefined) =>
    message?.toObject?.(message.decode?.(new Uint8Array()) ?? {}, { longs: String, defaults: true })
  for (const name of ['CMsgProtoBufHeader', 'CMsgClientLogon', 'CMsgClientMMSCreateLobby', 'CMsgMulti'])
    expect(fieldsOf(messages[name])).toEqual(fieldsOf(whole[name]))
})

import { createRequire } from 'node:module'
import { type PlatformMessage, platformMessages } from '../../ticket/steam-messages.ts'

const require = createRequire(import.meta.url)

/** All message types of the platform, from steam-user, so that both sides use the same definitions. */
const schema = platformMessages()

/** Message numbers by name. */
export const EMsg: Record<string, number> = require('steam-user/enums/EMsg.js')

/** Result numbers by name. */
export const EResult: Record<string, number> = require('steam-user/enums/EResult.js')

/** @returns the number of a name. @throws Error for an unknown name */
export function numberOf(table: Record<string, number>, name: string): number {
  const value = table[name]
  if (typeof value !== 'number') throw new Error(`the platform has no ${name}`)
  return value
}

/** @returns the encoded message. */
export function encode(type: string, message: object): Buffer {
  return Buffer.from(messageType(type).encode(message).finish())
}

/** @returns the decoded message as a plain object, 64-bit fields as decimal strings. */
export function decode(type: string, bytes: Uint8Array): Record<string, unknown> {
  const found = messageType(type)
  return found.toObject(found.decode(bytes), { longs: String, defaults: false })
}

function messageType(type: string): PlatformMessage {
  const found = schema[type]
  if (!found) throw new Error(`the platform has no message ${type}`)
  return found
}

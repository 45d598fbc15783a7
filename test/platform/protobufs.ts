import { createRequire } from 'node:module'

/** One message type of the platform, as protobufjs generates it. 64-bit fields are decimal strings. */
interface MessageType {
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(
    message: object,
    options: { longs: StringConstructor; defaults?: boolean },
  ): Record<string, unknown>
}

const require = createRequire(import.meta.url)

/** All message types of the platform, from steam-user, so that both sides use the same definitions. */
const schema: Record<string, MessageType> = require('steam-user/protobufs/generated/_load.js')

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

function messageType(type: string): MessageType {
  const found = schema[type]
  if (!found) throw new Error(`the platform has no message ${type}`)
  return found
}

/**
 * The message types of Steam. steam-user builds all 2,500 when it is loaded, which takes half a second of processor time
 * and 35 MB; a session uses a few dozen. Here each is built at its first use.
 */
import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'

/** One protobuf message type of Steam. 64-bit fields are decimal strings in both directions (`longs: String`). */
export interface PlatformMessage {
  encode(message: object): { finish(): Uint8Array }
  decode(bytes: Uint8Array): object
  toObject(
    message: object,
    options: { longs: StringConstructor; defaults?: boolean },
  ): Record<string, unknown>
}

export type PlatformMessages = Readonly<Record<string, PlatformMessage>>

/** The parts of protobufjs that steam-user builds its messages with. */
interface Builder {
  readonly Root: { fromJSON(definitions: Definitions): Record<string, PlatformMessage> }
}
interface Definitions {
  readonly nested: Readonly<Record<string, object>>
}

/** Replaces steam-user's own list of messages, so call it before steam-user is loaded. */
export function platformMessages(): PlatformMessages {
  const own = createRequire(import.meta.url)
  const list = own.resolve('steam-user/protobufs/generated/_load.js')
  const known = own.cache[list]
  if (known !== undefined) return known.exports
  // The copy of protobufjs that steam-user has.
  const require = createRequire(list)
  const { Root }: Builder = require('protobufjs')
  const messages: Record<string, PlatformMessage> = {}
  // A message that is in several files is that of the last one, as in steam-user's list.
  for (const [, file = ''] of readFileSync(list, 'utf8').matchAll(/require\('(\.\/[^']+\.json)'\)/g)) {
    const definitions: Definitions = require(file)
    let built: ReturnType<typeof Root.fromJSON> | undefined
    for (const name of Object.keys(definitions.nested))
      messages[name] = atFirstUse(() => {
        built ??= Root.fromJSON(definitions)
        const message = built[name]
        if (message === undefined) throw new Error(`${file} has no message ${name}`)
        return message
      })
  }
  const module = new Module(list)
  module.exports = messages
  module.loaded = true
  own.cache[list] = module
  return messages
}

const atFirstUse = (message: () => PlatformMessage): PlatformMessage => ({
  encode: (fields) => message().encode(fields),
  decode: (bytes) => message().decode(bytes),
  toObject: (decoded, options) => message().toObject(decoded, options),
})

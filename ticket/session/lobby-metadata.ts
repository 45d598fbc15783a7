/**
 * Lobby metadata as Steam takes it: binary KeyValues. `00 00`, then per pair `01 key 00 value 00`, then `08 08`.
 * A NUL inside a key or value would end it early, so it is left out.
 */
export function encodeMetadata(metadata: Readonly<Record<string, string>>): Buffer {
  const text = (value: string) => Buffer.from(`${value.replaceAll('\0', '')}\0`)
  const pairs = Object.entries(metadata).flatMap(([key, value]) => [Buffer.of(1), text(key), text(value)])
  return Buffer.concat([Buffer.of(0, 0), ...pairs, Buffer.of(8, 8)])
}

/**
 * Which requests come from Discord: it signs each with Ed25519 over the header `X-Signature-Timestamp` followed by the
 * bytes of the body (https://discord.com/developers/docs/interactions/overview, "Validating Security Request
 * Headers").
 */

interface Headers {
  /** A header by its lower-case name. */
  header(name: string): string | undefined
}

/** Maximum difference in milliseconds between the clocks of Discord and of this machine. */
const maxAge = 5 * 60_000

const hexBytes = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))

/**
 * @param publicKey of the application, 64 hexadecimal digits
 * @param now milliseconds since 1970
 * @param late called for a signed request whose time is more than five minutes from now, which counts as not signed
 * @returns whether a request is signed, by its body as it was sent, and its headers
 */
export function discordSignature(publicKey: string, now: () => number, late: () => void) {
  let imported: Promise<CryptoKey> | undefined
  return async (body: Uint8Array, sent: Headers): Promise<boolean> => {
    const signature = sent.header('x-signature-ed25519') ?? ''
    const timestamp = sent.header('x-signature-timestamp') ?? ''
    if (!/^[0-9a-fA-F]{128}$/.test(signature) || !/^[0-9]{1,12}$/.test(timestamp)) return false
    imported ??= crypto.subtle.importKey('raw', hexBytes(publicKey), 'Ed25519', false, ['verify'])
    const signed = new Uint8Array(timestamp.length + body.byteLength)
    signed.set(new TextEncoder().encode(timestamp))
    signed.set(body, timestamp.length)
    if (!(await crypto.subtle.verify('Ed25519', await imported, hexBytes(signature), signed))) return false
    if (Math.abs(now() - Number(timestamp) * 1000) <= maxAge) return true
    late()
    return false
  }
}

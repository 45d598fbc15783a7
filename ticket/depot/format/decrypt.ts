import { createDecipheriv, type KeyObject } from 'node:crypto'

/**
 * Decrypts chunks and file names with AES-256: the first 16 bytes are the IV, encrypted in ECB mode, the rest is CBC
 * with PKCS#7 padding (as `symmetricDecrypt` of `@doctormckay/steam-crypto`).
 * @param key KeyObject of a depot key; callers reuse it, because creating one costs more than decrypting a file name
 * @throws Error when the padding is wrong, because of a wrong key or damaged bytes
 */
export function decrypt(bytes: Buffer, key: KeyObject): Buffer {
  if (bytes.length < 32 || bytes.length % 16 !== 0) throw new Error('encrypted length is wrong')
  const ecb = createDecipheriv('aes-256-ecb', key, null)
  ecb.setAutoPadding(false)
  const cbc = createDecipheriv('aes-256-cbc', key, ecb.update(bytes.subarray(0, 16)))
  // The padding is removed below. With automatic padding, `final` would require a second copy of the data.
  cbc.setAutoPadding(false)
  const padded = cbc.update(bytes.subarray(16))
  const padding = padded[padded.length - 1] ?? 0
  const tail = padded.subarray(padded.length - padding)
  if (padding < 1 || padding > 16 || !tail.every((byte) => byte === padding))
    throw new Error('padding is wrong')
  return padded.subarray(0, padded.length - padding)
}

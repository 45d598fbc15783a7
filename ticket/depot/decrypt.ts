import { createDecipheriv } from 'node:crypto'

/**
 * Decrypts what a depot key protects: AES-256, the first 16 bytes hold the IV in ECB mode, the rest is CBC
 * with PKCS#7 padding (as `symmetricDecrypt` of the platform library).
 * @throws Error when the padding is wrong: another key, or damaged bytes
 */
export function decrypt(bytes: Buffer, key: Buffer): Buffer {
  if (bytes.length < 32 || bytes.length % 16 !== 0) throw new Error('encrypted length is wrong')
  const ecb = createDecipheriv('aes-256-ecb', key, null)
  ecb.setAutoPadding(false)
  const iv = ecb.update(bytes.subarray(0, 16))
  const cbc = createDecipheriv('aes-256-cbc', key, iv)
  const head = cbc.update(bytes.subarray(16))
  const tail = cbc.final()
  return tail.length === 0 ? head : Buffer.concat([head, tail])
}

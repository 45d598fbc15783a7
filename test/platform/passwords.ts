import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto'

/** The RSA key for passwords. Node refuses PKCS#1 v1.5 decryption, so `decrypt` removes the padding itself. */
export interface PasswordKey {
  readonly modulus: string
  readonly exponent: string
  decrypt(base64: string): string
}

/** @returns a new RSA key. */
export function makePasswordKey(): PasswordKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const jwk = publicKey.export({ format: 'jwk' })
  const hex = (part: string | undefined) => Buffer.from(part ?? '', 'base64url').toString('hex')
  return {
    modulus: hex(jwk.n),
    exponent: hex(jwk.e),
    decrypt(base64) {
      const encrypted = Buffer.from(base64, 'base64')
      const padded = privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, encrypted)
      return padded.subarray(padded.indexOf(0, 2) + 1).toString('utf8')
    },
  }
}

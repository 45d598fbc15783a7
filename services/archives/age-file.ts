/**
 * Encryption of a copy as a file of the age format with a passphrase (https://c2sp.org/age), which `age -d` opens. The
 * library makes the format; Node does only the slow step that derives a key from the passphrase (RFC 7914, scrypt) in
 * its thread pool, because the library would block every other request.
 */
import { createCipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { Encrypter, type Recipient, Stanza } from 'age-encryption'
import { byteStream } from '../../lib/byte-stream.ts'

/** 32 MiB of memory and a twentieth of a second. Each further step doubles both. */
const workFactor = 15

const deriveKey = promisify<
  string,
  Buffer,
  number,
  { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number },
  Buffer
>(scrypt)

/** The scrypt recipient of the format: the key of the file, encrypted by the passphrase. */
const withPassphrase = (passphrase: string): Recipient => ({
  async wrapFileKey(fileKey) {
    const salt = randomBytes(16)
    const key = await deriveKey(
      passphrase,
      Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), salt]),
      32,
      {
        N: 2 ** workFactor,
        r: 8,
        p: 1,
        maxmem: 2 * 128 * 8 * 2 ** workFactor,
      },
    )
    // The key is used once, so its nonce is always zero.
    const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 })
    const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
    return [new Stanza(['scrypt', salt.toString('base64').replace(/=+$/, ''), String(workFactor)], body)]
  },
})

/**
 * Encrypts a content while it is read.
 * @param bytes of the content
 * @returns the file, and how many bytes it has
 */
export async function ageFile(
  content: AsyncIterable<Uint8Array>,
  bytes: number,
  passphrase: string,
): Promise<{ readonly bytes: number; readonly content: AsyncIterable<Uint8Array> }> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(withPassphrase(passphrase))
  const file = await encrypter.encrypt(byteStream(content))
  return { bytes: file.size(bytes), content: chunksOf(file) }
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

import { Decrypter } from 'age-encryption'
import { expect, test } from 'vitest'
import { ageFile } from '../../../services/backups/age-file.ts'
import { eventually } from '../../wait.ts'
import { all } from './storage.ts'

const passphrase = 'five random words of a list'

async function* once(content: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < content.length; at += 50_000) yield content.subarray(at, at + 50_000)
}

async function encrypted(content: Uint8Array) {
  const file = await ageFile(once(content), content.length, passphrase)
  return { announced: file.bytes, bytes: await all(file.content) }
}

const open = (file: Uint8Array, words = passphrase) => {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(words)
  return decrypter.decrypt(file)
}

// A chunk of the format has 64 KiB; a file whose last chunk is full is a special case.
test.each([0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_003])(
  'the passphrase decrypts a copy of %i bytes, and its size is known before the encryption',
  async (size) => {
    const content = Buffer.alloc(size, 'farm')
    const { announced, bytes } = await encrypted(content)
    expect(bytes).toHaveLength(announced)
    expect(Buffer.from(await open(bytes)).equals(content)).toBe(true)
  },
)

test('a copy is a file of the age format, version 1, with a passphrase as its only recipient', async () => {
  const { bytes } = await encrypted(Buffer.from('farm'))
  const header = bytes.subarray(0, bytes.indexOf('\n---')).toString()
  expect(header).toMatch(/^age-encryption\.org\/v1\n-> scrypt [A-Za-z0-9+/]{22} 15\n[A-Za-z0-9+/]{43}$/)
})

test('a wrong passphrase does not decrypt it', async () => {
  const { bytes } = await encrypted(Buffer.from('farm'))
  await expect(open(bytes, 'another passphrase')).rejects.toThrow('no identity matched')
})

test('a copy with a changed bit, or without its end, is not decrypted', async () => {
  const { bytes } = await encrypted(Buffer.alloc(200_000))
  const changed = Buffer.from(bytes)
  changed[150_000] = (changed[150_000] ?? 0) ^ 1
  await expect(open(changed)).rejects.toThrow()
  await expect(open(bytes.subarray(0, 150_000))).rejects.toThrow()
})

test('two copies of the same content share only the format', async () => {
  const [one, other] = await Promise.all([encrypted(Buffer.alloc(1000)), encrypted(Buffer.alloc(1000))])
  expect(one.bytes.subarray(-1000).equals(other.bytes.subarray(-1000))).toBe(false)
})

test('the key is derived from the passphrase without blocking the process', async () => {
  let turns = 0
  const counting = setInterval(() => (turns += 1), 0)
  await ageFile(once(new Uint8Array()), 0, passphrase)
  clearInterval(counting)
  expect(turns).toBeGreaterThan(0)
})

test('an archive that cannot be read to its end ends the encryption with that error', async () => {
  async function* torn(): AsyncGenerator<Uint8Array, void> {
    yield new Uint8Array(100_000)
    throw new Error('torn')
  }
  const { content } = await ageFile(torn(), 200_000, passphrase)
  await expect(all(content)).rejects.toThrow('torn')
})

test('an aborted encryption ends the reading of the archive', async () => {
  let isOpen = true
  async function* archive(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) yield new Uint8Array(65_536)
    } finally {
      isOpen = false
    }
  }
  const { content } = await ageFile(archive(), 10_000_000, passphrase)
  for await (const _ of content) break
  await eventually(() => expect(isOpen).toBe(false))
})

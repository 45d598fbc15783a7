import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decrypter } from 'age-encryption'
import { afterAll, expect, test } from 'vitest'
import { ageFile } from '../../../services/archives/age-file.ts'
import { copyOffsite } from '../../../services/backups/copy-offsite.ts'
import type { CopyStore } from '../../../services/backups/copy-store.ts'
import { s3Store } from '../../../services/backups/s3-store.ts'
import { sharedFolder } from '../../new-folder.ts'
import { s3Key, startS3Server } from '../../s3-server.ts'
import { eventually } from '../../wait.ts'
import { all } from './storage.ts'

const server = await startS3Server()
afterAll(() => server.stop())
const folder = sharedFolder()
const never = new AbortController().signal
const content = randomBytes(1_500_000)
const path = join(folder, 'archive.zip')
writeFileSync(path, content)
const storeAt = (prefix: string) => s3Store({ url: `${server.url}/${prefix}`, ...s3Key }, { now: Date.now })

/** Storage that returns something else than it was sent. */
const changing = (change: (sent: Buffer) => Buffer): CopyStore => {
  const store = storeAt('changed')
  return {
    ...store,
    async *read(...asked) {
      yield change(await all(store.read(...asked)))
    },
  }
}

test.each([
  [
    'a changed byte',
    (sent: Buffer) => Buffer.from(sent.map((byte, at) => (at === sent.length - 1 ? byte ^ 1 : byte))),
  ],
  ['a missing end', (sent: Buffer) => sent.subarray(0, -1)],
  ['one byte more', (sent: Buffer) => Buffer.concat([sent, Buffer.from('x')])],
])('a copy counts once its digest was read back: one with %s does not', async (_, change) => {
  const copied = copyOffsite(changing(change), 'a.zip', path, undefined, never)
  await expect(copied).rejects.toThrow('what was read back is not what was sent')
})

test('a missing archive is reported with its cause', async () => {
  const copied = copyOffsite(storeAt('gone'), 'a.zip', join(folder, 'gone.zip'), undefined, never)
  await expect(copied).rejects.toThrow('the archive cannot be read (ENOENT)')
})

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
test.each([0, 65_535, 65_536, 65_537, 131_072])(
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

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Decrypter } from 'age-encryption'
import { afterAll, expect, test } from 'vitest'
import { copyName, copyOffsite } from '../../../services/backups/copy-offsite.ts'
import type { CopyStore } from '../../../services/backups/copy-store.ts'
import { s3Store } from '../../../services/backups/s3-store.ts'
import { s3Key, startS3Server } from '../../s3-server.ts'
import { all } from './storage.ts'

const server = await startS3Server()
const folder = mkdtempSync(join(tmpdir(), 'farmgate-copies-'))
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})
const never = new AbortController().signal
const content = randomBytes(1_500_000)
const path = join(folder, 'archive.zip')
writeFileSync(path, content)
const storeAt = (prefix: string) => s3Store({ url: `${server.url}/${prefix}`, ...s3Key }, { now: Date.now })

test('without a passphrase the copy is the archive itself', async () => {
  await copyOffsite(storeAt('plain'), copyName('a', undefined), path, undefined, never)
  expect(server.objects('plain')).toEqual(['a.zip'])
  expect(server.object('plain', 'a.zip').equals(content)).toBe(true)
})

test('with a passphrase the copy is a file that age opens with it, and says so in its name', async () => {
  const passphrase = 'five random words of a list'
  await copyOffsite(storeAt('secret'), copyName('a', passphrase), path, passphrase, never)
  expect(server.objects('secret')).toEqual(['a.zip.age'])
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const opened = await decrypter.decrypt(server.object('secret', 'a.zip.age'))
  expect(Buffer.from(opened).equals(content)).toBe(true)
})

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

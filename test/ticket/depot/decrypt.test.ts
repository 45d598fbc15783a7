/** The encryption of chunks and of names. */
import { createSecretKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decrypt } from '../../../ticket/depot/format/decrypt.ts'
import { depotKey } from '../../platform/depots.ts'
import { encrypt } from '../../platform/pack.ts'
import { seededBytes } from '../../platform/seeded.ts'

describe('encrypted data', () => {
  const key = createSecretKey(depotKey(1))
  const plainOf = (length: number) => seededBytes(7, length)

  test.each([0, 1, 15, 16, 17, 1000])('of %i bytes is decrypted', (length) => {
    expect(decrypt(encrypt(plainOf(length), depotKey(1)), key)).toEqual(plainOf(length))
  })

  test('of a wrong length is an error, and so is a wrong key', () => {
    const packed = encrypt(plainOf(40), depotKey(1))
    for (const length of [0, 16, 31, packed.length - 1])
      expect(() => decrypt(packed.subarray(0, length), key)).toThrow('encrypted length is wrong')
    expect(() => decrypt(packed, createSecretKey(depotKey(2)))).toThrow('padding is wrong')
  })

  test('with wrong padding is an error', () => {
    // The last block decrypts to other bytes when the block before it is changed.
    const packed = encrypt(plainOf(40), depotKey(1))
    for (const [at, what] of [
      [packed.length - 17, 0xff],
      [packed.length - 17, 0x08],
      [packed.length - 18, 0x01],
    ] as const) {
      const damaged = Buffer.from(packed)
      damaged[at] = (damaged[at] ?? 0) ^ what
      expect(() => decrypt(damaged, key)).toThrow('padding is wrong')
    }
  })
})

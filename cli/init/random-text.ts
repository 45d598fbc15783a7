/**
 * A to Z in small letters and 2 to 7 (the letters of base32, RFC 4648): they need no quotes in a shell, in a `.env` file, in
 * a URL and in a header, and 0 and O, 1 and l cannot be mixed up. There are 32, so a random byte chooses evenly.
 */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** @returns that many random letters, of 5 bits each */
export const randomText = (length: number, randomBytes: (size: number) => Uint8Array): string =>
  [...randomBytes(length)].map((byte) => letters[byte % letters.length]).join('')

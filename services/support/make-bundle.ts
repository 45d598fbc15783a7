/** The zip for asking for help. */
import { problemFrom } from '../../handlers/problem.ts'
import { textEntry, writeZip } from '../mods/write-zip.ts'

export interface BundleFile {
  readonly name: string
  /** Completes the file's line in README.txt. */
  readonly has: string
  /** @throws {FarmError} it cannot be read: README.txt then says why */
  content(): Promise<string>
}

/** @param clean every text, README.txt too @param now milliseconds since 1970 */
export async function makeBundle(
  files: readonly BundleFile[],
  clean: (text: string) => string,
  now: number,
): Promise<Uint8Array> {
  const read = await Promise.all(
    files.map(async ({ name, has, content }) => ({
      name,
      has,
      ...(await content().then(
        (text) => ({ text: clean(text) }),
        (error: unknown) => ({ missing: problemFrom(error).message }),
      )),
    })),
  )
  const lines = read.map(({ name, has, ...one }) =>
    'text' in one ? `${name}: ${has}` : clean(`${name} is left out: ${one.missing}`),
  )
  const readme = [
    'Diagnostics of this farm, for the person who helps you.',
    '',
    ...lines,
    '',
    ...notInside,
    '',
  ].join('\n')
  const pieces: Uint8Array[] = []
  await writeZip(
    [{ name: 'README.txt', text: readme }, ...read].flatMap((one) =>
      'text' in one ? [textEntry(one.name, now, () => one.text)] : [],
    ),
    async (bytes) => void pieces.push(Uint8Array.from(bytes)),
  )
  return Buffer.concat(pieces)
}

const notInside = [
  'Not inside: keys, passwords, tokens, secrets of webhooks, invite codes; addresses of machines, callers and receivers;',
  'e-mails; the chat that farmgate keeps; saves, backups and the database. Names of players are tokens such as',
  'player-1a2b3c4d, the same one for a name in every file, unless --names was given.',
  '',
  'farmgate cannot recognise everything that someone may have typed into a log: look through the files before you send them.',
]

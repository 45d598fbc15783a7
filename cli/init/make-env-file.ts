/** `farmgate init`: asks its questions, writes `.env` into the working folder, and says what to do next. */
import { randomBytes } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { chmod, copyFile } from 'node:fs/promises'
import { openAtomicFile } from '../../lib/atomic-file.ts'
import { keyFrom } from '../connection/where.ts'
import { wrongUsage } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import type { Context } from '../terminal/context.ts'
import type { Text } from '../terminal/text.ts'
import { type Answers, type Asking, answersOf } from './answers.ts'
import { dashboardOf, envLines, envText } from './env-file.ts'

/** The options as they are on the command line. */
export interface InitOptions {
  readonly account?: string
  readonly joinPasswordFile?: string
  /** False with `--no-join-password`. */
  readonly joinPassword: boolean
  readonly publicInviteCodes?: true
  readonly allowRestore?: true
  readonly domain?: string
  readonly edgeUrl?: string
  readonly edgeLinkKeyFile?: string
  readonly yes?: true
}

const path = '.env'

interface Made {
  readonly record: { readonly file: string; readonly kept?: string; readonly made: readonly string[] }
  /** What was done and what to do next, without any key. */
  readonly lines: readonly Text[]
}

/** @throws {Failure} an option is wrong, or the user refused to replace an existing `.env` */
export async function makeEnvFile(options: InitOptions, context: Context): Promise<Made> {
  const given = {
    account: options.account,
    joinPassword: joinPasswordOf(options),
    publicInviteCodes: options.publicInviteCodes && 'yes',
    allowRestore: options.allowRestore && 'yes',
    domain: options.domain,
    edgeUrl: options.edgeUrl,
    edgeLinkKey: keyFrom(options.edgeLinkKeyFile, '--edge-link-key-file'),
  }
  const isThere = existsSync(path)
  if (isThere)
    await confirm(
      context,
      `There is a ${path} already. A new one has new keys; the old one is kept under another name.`,
      path,
      options.yes,
    )
  const answers = await answersOf(given, context.hasPerson ? asking(context) : undefined).finally(
    context.prompter.close,
  )
  const lines = envLines(answers, (length) => randomText(length, randomBytes))
  const kept = isThere ? await keep() : undefined
  const file = await openAtomicFile(path, { temporary: `${path}.new`, mode: 0o600 })
  await file.commit(envText(lines, dashboardOf(answers)))
  const made = lines.filter(({ isMade }) => isMade).map(({ name }) => name)
  return {
    record: { file: path, ...(kept !== undefined && { kept }), made },
    lines: [...(kept === undefined ? [] : [`The old ${path} is now ${kept}.`]), ...next(answers, made)],
  }
}

function joinPasswordOf({ joinPassword, joinPasswordFile }: InitOptions): string | undefined {
  if (joinPassword) return keyFrom(joinPasswordFile, '--join-password-file')
  if (joinPasswordFile !== undefined)
    throw wrongUsage('--join-password-file and --no-join-password cannot be together.')
  return 'none'
}

const asking = ({ prompter, notes, interrupted }: Context): Asking => ({
  ask: ({ ask, isHidden }) => prompter.ask(ask, { hidden: isHidden, signal: interrupted() }),
  say: (line) => notes.line(line),
})

/** Copies the old file next to it: it might hold the only passphrase of backups. @returns the name of the copy */
async function keep(): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = `${path}.old-${number}`
    if (existsSync(name)) continue
    await copyFile(path, name, constants.COPYFILE_EXCL)
    await chmod(name, 0o600)
    return name
  }
}

const next = (answers: Answers, made: readonly string[]): readonly Text[] => [
  `${path} is written; only your user can read it. Made for it: ${made.join(', ')}.`,
  ...(existsSync('compose.yaml')
    ? []
    : [`There is no compose.yaml in this folder: it must be in the folder of ${path}.`]),
  '',
  'Next, in this folder:',
  `  docker compose ${answers.domain === '' ? '' : '--profile https '}up -d`,
  '  docker compose logs ticket     # once: its link signs in to Steam and downloads the game, in a browser',
  '  docker compose run --rm ticket setup     # the same in the terminal',
  '  docker compose exec api farmgate invite     # what friends type to join',
  '',
  `The dashboard is then at ${dashboardOf(answers)}; it asks for API_KEY of ${path}.`,
  ...(answers.joinPassword === ''
    ? []
    : [`Friends join with the invite code, and type once: !login and SERVER_PASSWORD of ${path}.`]),
  ...(answers.edgeUrl !== '' && answers.edgeLinkKey === undefined
    ? [
        `The edge needs the same keys: LINK_KEY is EDGE_LINK_KEY of ${path}, API_KEY is API_KEY (${dashboardOf(answers)}/help/edge).`,
      ]
    : []),
]

/**
 * Lower-case a to z and 2 to 7 (the letters of base32, RFC 4648): they need no quotes in a shell, in a `.env` file, in
 * a URL and in a header, and 0 and O, 1 and l cannot be mixed up. There are 32, so a random byte chooses evenly.
 */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** @returns that many random letters, of 5 bits each */
const randomText = (length: number, randomBytes: (size: number) => Uint8Array): string =>
  [...randomBytes(length)].map((byte) => letters[byte % letters.length]).join('')

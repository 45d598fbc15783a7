import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { askSecret } from '../terminal/secret.ts'
import { size } from '../terminal/size.ts'
import { list } from '../terminal/table.ts'
import { type AddCommand, show, withExamples } from './add-command.ts'
import { gameDay } from './game-time.ts'

interface Options {
  readonly saves?: string
  readonly save?: string
  readonly check?: true
  readonly withKeys?: true
}

export const importSave: AddCommand = (program, context) => {
  const command = program
    .command('import <zip-or-folder>')
    .description(
      "add a save of SMAPI, farmgate or a player next to the game's own, or a farm that was exported",
    )
    .option('--saves <folder>', 'the folder that holds Saves; otherwise SAVES_DIR')
    .option('--save <name>', 'which one, where it has several')
    .option('--check', 'only show what is in it')
    .option('--with-keys', 'of a farm: also its keys, sessions, scopes, groups, invitations and webhooks')
  withExamples(
    command,
    'import Clover_123456789.zip --check',
    'import save-backups/2026-11-21.zip --save Clover_123456789 --saves /saves',
  ).action(async (from: string, { saves, save, check, withKeys }: Options) => {
    const savesDir = saves ?? (context.env['SAVES_DIR'] || undefined)
    if (savesDir === undefined && check === undefined)
      throw wrongUsage('No folder with the saves is named.', 'Name the folder that holds Saves with --saves.')
    // Loaded only when the command runs, because they load the reader of zips and the database.
    const { importFarm, isFarmFile } = await import('../../services/saves/farm-file.ts')
    const isFarm = await isFarmFile(from).catch(() => false)
    const { SETTINGS_PATH, DATA_DIR } = context.env
    const { importSave } = await import('../../services/saves/import-save.ts')
    const whole = isFarm
      ? await importFarm(
          { savesDir, settingsPath: SETTINGS_PATH || undefined, dataDir: DATA_DIR || undefined },
          {
            from,
            passphrase: await askSecret(context, 'Passphrase'),
            isCheck: check === true,
            isWithKeys: withKeys === true,
          },
          Date.now(),
        ).catch(refused)
      : undefined
    const found =
      whole ??
      (await importSave({ from, save, savesDir, isCheck: check === true }, Date.now()).catch(refused))
    const { name: host, isServer } = found.host
    const { lineFor } = await import('../../services/saves/load-save.ts')
    const line = lineFor(found.save)
    const swapLine = isServer ? undefined : lineFor(found.save, '<id>')
    const lines = { consoleLine: line, ...(swapLine !== undefined && { swapLine }) }
    show(command, context, { ...found, host, ...(check !== true && lines) }, () => [
      ...list(
        [
          ['Save', found.save],
          ['Farm', found.farmName],
          ['Day', gameDay(found.day)],
          ['Host', host],
          ['People', found.people.join(', ')],
          ['Size', size(found.bytes)],
          ...(whole === undefined
            ? []
            : [
                ['With', whole.parts.join(', ')] as const,
                ['Mods to install', whole.mods.join(', ')] as const,
                ...(whole.records === undefined ? [] : recordsOf(whole.records, withKeys === true)),
              ]),
        ],
        context.out.columns(),
      ),
      ...(whole?.records === undefined || withKeys === true ? [] : ['', keysBehind(whole.records.keysLeft)]),
      ...(check === true
        ? []
        : [
            '',
            'It is in its place. To play it, type into the console of the game server:',
            ...ways(host, line, swapLine),
          ]),
    ])
  })
}

/** @param swapLine of a save that a person has hosted */
const ways = (host: string, line: string, swapLine: string | undefined): readonly string[] =>
  swapLine === undefined
    ? [line]
    : [
        swapLine,
        `${host} stays a player: <id> is the Steam64 or GOG id of the account that plays ${host}.`,
        line,
        `The server takes ${host} over: the person who has played that farmer can never play it again.`,
      ]

interface RecordsThatCame {
  /** Rows of each table. */
  readonly came: Readonly<Record<string, number>>
  /** Names. */
  readonly keys: readonly string[]
}

const words: Readonly<Record<string, string>> = {
  ...{
    playersSeen: 'players',
    tenMinutes: 'samples of ten minutes',
    hours: 'samples of hours',
  },
  ...{ sessions: 'visits of players', days: 'game days', hostOperations: 'operations' },
  ...{ schedules: 'schedules (disabled)', discordServers: 'Discord servers', accountGroups: 'groups' },
  keys: 'keys and sessions',
}

const recordsOf = ({ came, keys }: RecordsThatCame, isWithKeys: boolean) => [
  [
    'Records',
    Object.entries(came)
      .map(([table, rows]) => `${words[table] ?? table}: ${rows}`)
      .join(', '),
  ] as const,
  ...(isWithKeys ? keys.map((name) => ['Key', name] as const) : []),
]

const keysBehind = (keys: number): string =>
  `${keys === 1 ? '1 key stays' : `${keys} keys stay`} behind, as do sessions, scopes of accounts, groups, invitations and webhooks; --with-keys brings them.`

/** @throws {Failure} for a refused save; any other error as it is */
export function refused(error: unknown): never {
  if (!(error instanceof Error)) throw error
  if (error.name === 'ImportRefused') throw new Failure(exitCodes.refused, error.message)
  if (error.name === 'BrokenArchive')
    throw new Failure(exitCodes.refused, `The archive is refused: ${error.message}.`, 'Nothing was changed.')
  throw error
}

import { readdir } from 'node:fs/promises'
import { wrongUsage } from '../outcome/failure.ts'
import { askSecret } from '../terminal/secret.ts'
import { type AddCommand, show, withExamples } from './add-command.ts'
import { refused } from './import-save.ts'

interface Options {
  readonly saves?: string
  readonly save?: string
}

export const exportFarm: AddCommand = (program, context) => {
  const command = program
    .command('export <file>')
    .description('write save, settings, list of mods and records of the farm into one encrypted file')
    .option('--saves <folder>', 'the folder that holds Saves; otherwise SAVES_DIR')
    .option('--save <name>', 'which one, where there are several')
  withExamples(command, 'export clover.farm', 'export clover.farm --save Clover_123456789').action(
    async (to: string, { saves, save }: Options) => {
      const { SAVES_DIR, SETTINGS_PATH, DATA_DIR, MODS_DIR } = context.env
      const savesDir = saves ?? (SAVES_DIR || undefined)
      if (savesDir === undefined)
        throw wrongUsage(
          'No folder with the saves is named.',
          'Name the folder that holds Saves with --saves.',
        )
      const passphrase = await askSecret(context, 'Passphrase, which the import asks for')
      if (passphrase.length < 8)
        throw wrongUsage('The passphrase is shorter than 8 characters.', 'Take a longer one.')
      const mods = MODS_DIR ? await readdir(MODS_DIR, { withFileTypes: true }).catch(() => []) : []
      // Loaded only when the command runs, because it loads the database.
      const { exportFarm } = await import('../../services/saves/farm-file.ts')
      const written = await exportFarm(
        { savesDir, settingsPath: SETTINGS_PATH || undefined, dataDir: DATA_DIR || undefined },
        {
          to,
          save,
          passphrase,
          mods: mods
            .flatMap((one) => (one.isDirectory() && !one.name.startsWith('.') ? [one.name] : []))
            .sort(),
        },
      ).catch(refused)
      show(command, context, { file: to, ...written }, () => [
        `${written.save} is in ${to}, with ${['the list of mods', ...written.parts].join(', ')}.`,
        'Keep the passphrase: without it the file cannot be opened.',
      ])
    },
  )
}

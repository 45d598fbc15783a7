import type { InitOptions } from '../init/make-env-file.ts'
import { type AddCommand, show, withExamples } from './add-command.ts'

export const init: AddCommand = (program, context) => {
  const command = program
    .command('init')
    .summary('create the .env of compose.yaml in this folder: generates keys, asks for the rest')
    .description(
      'Create the .env of compose.yaml in this folder: generates keys, asks for the rest. It is optional: without .env, `docker compose up -d` makes the keys. The link in `docker compose logs ticket` then signs in to Steam and sets up the farm, in a browser.',
    )
    .option('--account <name>', 'Steam account of the server')
    .option('--join-password-file <path>', 'file with what players type to join; without it one is made')
    .option('--no-join-password', 'anyone with the invite code can join')
    .option('--public-invite-codes', 'everyone who reaches the control API sees the invite code')
    .option('--allow-restore', 'farmgate may write to the saves, to restore backups')
    .option('--domain <name>', 'name that points to this machine, for HTTPS')
    .option('--edge-url <address>', 'address of the farm at an edge')
    .option('--edge-link-key-file <path>', 'file with its link key there; without it one is made')
    .option('--yes', 'replace an existing .env without asking; the old one is renamed')
  withExamples(
    command,
    'init',
    'init --account myserver --domain farm.example < /dev/null   # asks nothing',
  ).action(async (options: InitOptions) => {
    // Loaded only when the command runs, because it loads the variables of the control API.
    const { makeEnvFile } = await import('../init/make-env-file.ts')
    const made = await makeEnvFile(options, context)
    show(command, context, made.record, () => made.lines)
  })
}

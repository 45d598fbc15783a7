import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, show, showMessage, showRows, withExamples } from './add-command.ts'
import { fileToSend } from './options.ts'

export const mods: AddCommand = (program, context) => {
  const command = program
    .command('mods')
    .description('mods of the game server: list, install, enable, disable, remove, pack, links, revoke')
  withExamples(command, 'mods', 'mods install ContentPatcher.zip')
  runs(command, context, ['mods'], async ({ farm }) => {
    const record = await farm.mods()
    showRows(command, context, record, () => ({
      header: ['Name', 'Id', 'Version', 'State', 'Problems'],
      rows: record.mods.map(({ name, id, version, enabled, problems, moreProblems }) => [
        ...[name, id, version, enabled ? 'on' : 'off'],
        [
          ...problems.map(({ message }) => message),
          ...(moreProblems === undefined ? [] : [`and ${moreProblems} more`]),
        ].join('; '),
      ]),
      ifNone: 'No mods yet.',
    }))
  })

  const install = command
    .command('install <zip>')
    .description('install the mods of a zip; a mod is code that runs as the game server')
  withExamples(install, 'mods install ContentPatcher.zip')
  runs(install, context, ['installMods'], async ({ farm }, zip: string) => {
    const content = await fileToSend(zip)
    const done = await farm.installMods({ content })
    show(install, context, done, () => [
      ...done.installed.map(({ name, version }) => `installed ${name} ${version}`),
      ...done.replaced.map(({ name, version }) => `replaced ${name} ${version}`),
      'The game loads them when it starts: farmgate restart',
    ])
  })

  const enable = command.command('enable <id>').description('let the game load a mod when it starts')
  withExamples(enable, 'mods enable Abby.MoreSeeds')
  runs(enable, context, ['enableMod'], async ({ farm }, id: string) => {
    showMessage(enable, context, await farm.enableMod({ id }))
  })

  const disable = command
    .command('disable <id>')
    .description('keep a mod, without the game loading it')
    .option('--force', 'also where enabled mods need it')
  withExamples(disable, 'mods disable Abby.MoreSeeds')
  runs(disable, context, ['disableMod'], async ({ farm }, id: string, { force }: Forced) => {
    showMessage(disable, context, await farm.disableMod({ id, force }))
  })

  const remove = command
    .command('remove <id>')
    .description('delete a mod with its settings; asks for its id first')
    .option('--force', 'also where enabled mods need it')
    .option('-y, --yes', 'do not ask for the id')
  withExamples(remove, 'mods remove Abby.MoreSeeds')
  runs(
    remove,
    context,
    ['deleteMod'],
    async ({ farm }, id: string, { force, yes }: Forced & { yes?: true }) => {
      await confirm(context, `This deletes the mod ${id} and its settings.`, id, yes)
      showMessage(remove, context, await farm.deleteMod({ id, force }))
    },
  )

  const updates = command.command('updates').description('newer versions of the mods')
  withExamples(updates, 'mods updates')
  runs(updates, context, ['modUpdates'], async ({ farm }) => {
    const record = await farm.modUpdates()
    showRows(updates, context, record, () => ({
      header: ['Id', 'Installed', 'Newest', 'Page'],
      rows: record.updates.map(({ id, installed, version, url }) => [id, installed, version, url]),
      ifNone: 'No newer versions are known.',
    }))
  })

  const pack = command
    .command('pack <days>')
    .description('make a link to the mods that players need, which needs no key')
  withExamples(pack, 'mods pack 7')
  runs(pack, context, ['createPackLink'], async ({ farm, url }, days: string) => {
    const made = await farm.createPackLink({ expiresInDays: Number(days) })
    const link = { ...made, url: new URL(made.url, `${url.replace(/\/+$/, '')}/`).href }
    show(pack, context, link, () => [link.url, `until ${link.expiresAt}`])
  })

  const links = command.command('links').description('show the links to the mods that players need')
  withExamples(links, 'mods links')
  runs(links, context, ['packLinks'], async ({ farm }) => {
    const record = await farm.packLinks()
    showRows(links, context, record, () => ({
      header: ['Id', 'Made', 'Until', 'By'],
      rows: record.links.map(({ id, createdAt, expiresAt, by }) => [id, createdAt, expiresAt, by.name]),
      ifNone: 'No links.',
    }))
  })

  const revoke = command
    .command('revoke <id>')
    .description('revoke a link to the mods; its downloads end within a second')
  withExamples(revoke, 'mods revoke 6f1c2a9b03de')
  runs(revoke, context, ['revokePackLink'], async ({ farm }, id: string) => {
    showMessage(revoke, context, await farm.revokePackLink({ id }))
  })
}

interface Forced {
  readonly force?: true
}

import type { DiscordRole, DiscordServer } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, show, showMessage, showRows, withExamples } from './add-command.ts'
import { registerCommands } from './register-commands.ts'

const scopes: readonly DiscordRole['scopes'][number][] = ['chat', 'control']

export const discord: AddCommand = (program, context) => {
  const command = program
    .command('discord')
    .description('/farm in Discord: list its servers, code, roles, remove, register')
  withExamples(command, 'discord', 'discord code', 'discord register')
  runs(command, context, ['discordServers'], async ({ farm }) => {
    const record = await farm.discordServers()
    showRows(command, context, record, () => ({
      header: ['Server', 'Bound', 'Roles'],
      rows: record.servers.map(({ id, boundAt, roles }) => [id, boundAt, rolesText(roles)]),
      ifNone: 'No Discord server is bound to the farm. Make a code for one: farmgate discord code',
    }))
  })

  const code = command.command('code').description('make a code that binds one Discord server to the farm')
  withExamples(code, 'discord code')
  runs(code, context, ['makeDiscordCode'], async (place) => {
    const made = await place.farm.makeDiscordCode()
    show(code, context, made, () => [made.code])
    const [, name] = /\/farms\/([^/]+)$/.exec(place.url) ?? []
    context.notes.line(`In Discord: /farm bind code:${made.code}${name === undefined ? '' : ` farm:${name}`}`)
    context.notes.line(`It works once, until ${made.expiresAt}.`)
  })

  const roles = command
    .command('roles <server> [role=scopes...]')
    .description('set what the roles of a Discord server may do; roles that were set before are replaced')
  withExamples(roles, 'discord roles 290926798626357999 539082325061836999=chat,control')
  runs(roles, context, ['setDiscordRoles'], async ({ farm }, id: string, given: readonly string[]) => {
    showMessage(roles, context, await farm.setDiscordRoles({ id, roles: given.map(roleOf) }))
  })

  const remove = command
    .command('remove <server>')
    .description('unbind a Discord server from the farm; asks for its id first')
    .option('-y, --yes', 'do not ask for the id')
  withExamples(remove, 'discord remove 290926798626357999')
  runs(
    remove,
    context,
    ['discordServers', 'unbindDiscordServer'],
    async ({ farm }, id: string, { yes }: { yes?: true }) => {
      const found = (await farm.discordServers()).servers.find((one: DiscordServer) => one.id === id)
      if (found === undefined)
        throw new Failure(
          exitCodes.notFound,
          `The Discord server ${id} is not bound.`,
          'farmgate discord lists them.',
        )
      await confirm(
        context,
        `This ends what the Discord server ${id} may do, and forgets its roles.`,
        id,
        yes,
      )
      showMessage(remove, context, await farm.unbindDiscordServer({ id }))
    },
  )

  const register = command
    .command('register')
    .description('register /farm in Discord; the bot token is in DISCORD_BOT_TOKEN, or is asked for')
    .option('--server <id>', 'only in this Discord server')
  withExamples(
    register,
    'discord register',
    'discord register --server 290926798626357999 < token.txt',
  ).action(async ({ server }: { server?: string }) => {
    if (server !== undefined && !/^[0-9]{1,20}$/.test(server))
      throw wrongUsage('--server is the id of a Discord server: digits only.')
    const done = await registerCommands(context, server)
    show(register, context, done, () => [`/farm is registered for the application ${done.application}.`])
    context.notes.line(`Its public key: DISCORD_PUBLIC_KEY=${done.publicKey}`)
  })
}

const rolesText = (roles: readonly DiscordRole[]): string =>
  roles.map(({ id, scopes: allowed }) => `${id}=${allowed.join()}`).join(' ') || 'all may look'

function roleOf(text: string): DiscordRole {
  const [, id, list = ''] = /^([0-9]{1,20})=([a-z,]+)$/.exec(text) ?? []
  const requested = list.split(',')
  const known = scopes.filter((one) => requested.includes(one))
  if (id === undefined || known.length !== new Set(requested).size)
    throw wrongUsage(
      `A role is <id>=<scopes>, with some of ${scopes.join(', ')}: 539082325061836999=chat,control`,
    )
  return { id, scopes: known }
}

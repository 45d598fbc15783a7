/** Answers a command of `/farm`: calls the same endpoint as HTTP clients, with the scopes of the member's roles. */
import type { AuditedWrite, BegunWrite } from '../../handlers/audit-entry.ts'
import { inMemory } from '../../handlers/deletion.ts'
import type { DiscordRole } from '../../handlers/discord-record.ts'
import type { Endpoint } from '../../handlers/endpoint.ts'
import { mayBeMade } from '../../handlers/farm-error.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { causeOf, Problem, problemFrom } from '../../handlers/problem.ts'
import type { Records } from '../../handlers/records.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Log } from '../../lib/log.ts'
import { type FarmCommand, farmCommands } from './farm-commands.ts'
import { type CommandInteraction, subcommandOf } from './interaction.ts'
import { notBound, type Reply, refusal, wrongCode } from './reply.ts'

/** The call of a command, as the one dispatcher takes it. */
interface CommandCall {
  readonly search: string
  body(): Promise<string>
  readonly holder: KeyHolder
  readonly from: Pick<BegunWrite, 'requestId' | 'address'>
  readonly takesDiscord: true
  readonly over: AbortSignal | undefined
}

export interface CommandParts {
  dispatch(endpoint: Endpoint, call: CommandCall): Promise<{ readonly result: unknown }>
  readonly farm: { readonly records: Pick<Records, 'state' | 'bindDiscordServer' | 'heardDiscord'> }
  /** Counts a request of a holder. @throws {Problem} rate_limited */
  readonly gate: { count(holder: KeyHolder, effect: 'read' | 'write', address: string): void }
  readonly audit: {
    write(
      write: Pick<BegunWrite, 'requestId' | 'address' | 'action'>,
      holder: KeyHolder,
      parameters: () => BegunWrite['parameters'],
    ): AuditedWrite
  }
  readonly log: Pick<Log, 'error'>
  /** Called when a Discord server was bound to this farm. */
  boundDiscord?(serverId: string): Promise<void>
}

/** Who sent the HTTP request that brought a command. */
export interface CommandCaller {
  /** A header by its lower-case name. */
  header(name: string): string | undefined
  readonly address: string
  /** Aborted when the client has left. */
  readonly over?: AbortSignal
}

export interface CommandRequest {
  readonly caller: CommandCaller
  readonly requestId: string
}

type Member = NonNullable<CommandInteraction['member']>

interface Given extends CommandRequest {
  readonly holder: KeyHolder
  readonly given: Readonly<Record<string, string>>
}

const unknownCommand =
  'This command is not known here. An operator of the farm updates the commands with: farmgate discord register'
const mayNotBind = 'Only members who may manage this Discord server can bind it.'

/** ADMINISTRATOR and MANAGE_GUILD (https://discord.com/developers/docs/topics/permissions). */
const managing = 0x8n | 0x20n

/** @returns a function that answers a command and never rejects; `repeated` for a command that was answered before */
export function commandAnswers(parts: CommandParts) {
  const { dispatch, gate, audit, log } = parts
  const { records } = parts.farm

  async function ask({ endpoint, isPublic, textOf }: FarmCommand, by: Given): Promise<Reply> {
    const { holder, caller, requestId, given } = by
    if (endpoint.method !== 'GET') gate.count(holder, 'write', caller.address)
    const { result } = await dispatch(endpoint, {
      search: endpoint.body === undefined ? new URLSearchParams(given).toString() : '',
      body: async () => stringifyJson(given),
      holder,
      from: { requestId, address: caller.address },
      takesDiscord: true,
      over: caller.over,
    }).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.details.scope === undefined) throw error
      throw new Problem(error.code, `None of your roles here has the scope ${error.details.scope}.`)
    })
    return { text: textOf(result), isPrivate: isPublic !== true }
  }

  async function bind(serverId: string, { permissions }: Member, by: Given): Promise<Reply> {
    const { holder, caller, requestId, given } = by
    gate.count(holder, 'write', caller.address)
    const begun = { requestId, address: caller.address, action: 'bindDiscordServer' }
    const write = audit.write(begun, holder, () => ({ serverId }))
    try {
      if (!/^[0-9]{1,20}$/.test(permissions) || (BigInt(permissions) & managing) === 0n)
        throw new Problem('insufficient_scope', mayNotBind)
      write.began({ serverId })
      const code = (given['code'] ?? '').trim().slice(0, 64)
      if (!(await records.bindDiscordServer({ code, serverId })))
        throw new Problem('invalid_parameter', wrongCode)
      await parts.boundDiscord?.(serverId)
    } catch (error) {
      await write.ended(problemFrom(error).status, !(error instanceof Problem) && mayBeMade(error))
      throw error
    }
    await write.ended(200, false)
    const where = records.state() === 'failed' ? ` ${inMemory}.` : ''
    return { text: `This Discord server is bound to the farm. Try: /farm status.${where}`, isPrivate: true }
  }

  async function answer(interaction: CommandInteraction, by: CommandRequest): Promise<Reply | 'repeated'> {
    const { id, guild_id: serverId, member } = interaction
    if (serverId === undefined || member === undefined) return refusal('This works only in a Discord server.')
    // Counted before the binding is looked up, because members of any Discord server can send commands.
    gate.count(holderOf(member, []), 'read', by.caller.address)
    const { isRepeated, roles } = await records.heardDiscord({ id, serverId })
    if (isRepeated) return 'repeated'
    const { name = '', given } = subcommandOf(interaction)
    const asked = { ...by, given, holder: holderOf(member, roles ?? []) }
    if (name === 'bind') return bind(serverId, member, asked)
    if (roles === undefined) return notBound
    const command = farmCommands.get(name)
    return command === undefined ? refusal(unknownCommand) : ask(command, asked)
  }

  return async (interaction: CommandInteraction, by: CommandRequest): Promise<Reply | 'repeated'> => {
    try {
      return await answer(interaction, by)
    } catch (error) {
      const problem = problemFrom(error)
      if (problem.code === 'internal_error' || problem.code === 'bad_game_response')
        log.error({ requestId: by.requestId, cause: causeOf(error) }, 'request failed')
      return refusal(problem.message)
    }
  }
}

/** Every member has the scope `read`; roles add others. */
function holderOf({ user, roles: held }: Member, roles: readonly DiscordRole[]): KeyHolder {
  const id = `discord_${user.id}`
  const allowed = roles.filter((role) => held.includes(role.id)).flatMap(({ scopes }) => scopes)
  return {
    id,
    name: user.username.slice(0, 64).toWellFormed(),
    scopes: ['read', ...new Set(allowed)],
    ref: id,
  }
}

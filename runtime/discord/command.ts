/** Answers a command of `/farm`: calls the same endpoint as HTTP clients, with the scopes of the member's roles. */
import type { DiscordRole } from '../../handlers/discord-record.ts'
import { mayBeMade } from '../../handlers/farm-error.ts'
import type { KeyHolder } from '../../handlers/key-holder.ts'
import { Problem } from '../../handlers/problem.ts'
import type { Records } from '../../handlers/records.ts'
import { stringifyJson } from '../../lib/json.ts'
import type { Log } from '../../lib/log.ts'
import { type FarmCommand, farmCommands } from '../../services/discord/farm-commands.ts'
import { type CommandInteraction, subcommandOf } from '../../services/discord/interaction.ts'
import { notBound, type Reply, refusal, wrongCode } from '../../services/discord/reply.ts'
import type { Audit, AuditedWrite } from '../dispatch/audit.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'
import type { Caller } from '../http/caller.ts'
import { causeOf, problemFrom } from '../http/failure.ts'
import type { Gate } from '../http/gate.ts'

export interface CommandParts {
  readonly dispatch: Dispatch
  readonly farm: { readonly records: Pick<Records, 'bindDiscordServer' | 'heardDiscord'> }
  readonly gate: Pick<Gate, 'count'>
  readonly audit: Pick<Audit, 'write'>
  readonly log: Pick<Log, 'error'>
  /** Called when a Discord server was bound to this farm. */
  boundDiscord?(serverId: string): Promise<void>
}

/** The HTTP request that brought a command. */
export interface CommandRequest {
  readonly caller: Caller
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

  /** Calls a write, and completes its row in the audit, as `dispatch` does. */
  async function audited<Done>(write: AuditedWrite, status: number, make: () => Promise<Done>) {
    try {
      const done = await make()
      await write.ended(status, false)
      return done
    } catch (error) {
      await write.ended(problemFrom(error).status, !(error instanceof Problem) && mayBeMade(error))
      throw error
    }
  }

  const auditedWrite = (action: string, { holder, caller, requestId }: Given, sent: () => object) =>
    audit.write({ requestId, address: caller.address, action }, holder, () => ({ ...sent() }))

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
    const { code = '' } = by.given
    gate.count(by.holder, 'write', by.caller.address)
    const write = auditedWrite('bindDiscordServer', by, () => ({ serverId }))
    return audited(write, 200, async () => {
      if (!/^[0-9]{1,20}$/.test(permissions) || (BigInt(permissions) & managing) === 0n)
        throw new Problem('insufficient_scope', mayNotBind)
      write.began({ serverId })
      if (!(await records.bindDiscordServer({ code: code.trim().slice(0, 64), serverId })))
        throw new Problem('invalid_parameter', wrongCode)
      await parts.boundDiscord?.(serverId)
      return { text: 'This Discord server is bound to the farm. Try: /farm status', isPrivate: true }
    })
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

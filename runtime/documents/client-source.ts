/** The calls of the client as TypeScript, made from the endpoints: `npm run generate` writes them into `client/`. */
import type * as v from 'valibot'
import * as audit from '../../handlers/audit-entry.ts'
import * as backups from '../../handlers/backup-record.ts'
import { deletionResult } from '../../handlers/deletion.ts'
import * as discord from '../../handlers/discord-record.ts'
import type { Endpoint } from '../../handlers/endpoint.ts'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { changeSettings } from '../../handlers/endpoints/change-settings.ts'
import { discordServers } from '../../handlers/endpoints/discord-servers.ts'
import { health } from '../../handlers/endpoints/health.ts'
import { ownKey } from '../../handlers/endpoints/own-key.ts'
import { restoreBackup } from '../../handlers/endpoints/restore-backup.ts'
import * as game from '../../handlers/game-records.ts'
import * as history from '../../handlers/history-records.ts'
import * as host from '../../handlers/host-record.ts'
import { int64 } from '../../handlers/int64.ts'
import { scopes } from '../../handlers/key-holder.ts'
import * as keys from '../../handlers/key-record.ts'
import type { Parameter } from '../../handlers/parameter.ts'
import * as schedules from '../../handlers/schedule-record.ts'
import { settingsPatch } from '../../handlers/settings-change.ts'
import * as webhooks from '../../handlers/webhook-record.ts'

type Schema = v.GenericSchema

/** The types that the client writes by hand, with docs for each member, by their file. */
const byHand: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  'game-records.ts': {
    Cabins: game.cabins,
    Deleted: deletionResult,
    Farmhands: game.farmhands,
    Health: health.result,
    NewGame: game.newGame,
    PasswordProtection: game.passwordProtection,
    Players: game.players,
    Screenshot: game.screenshot,
    Settings: game.settings,
    SettingsChange: changeSettings.result,
    SettingsPatch: settingsPatch,
    Stats: game.stats,
    Status: game.status,
  },
  'records.ts': {
    AuditPage: audit.auditPage,
    Backup: backups.backupRecord,
    Backups: backups.backupList,
    MadeBackup: backups.madeBackup,
    HistoryChat: history.historyChat,
    HistoryDays: history.historyDays,
    HistoryPlayers: history.historyPlayers,
    HistorySamples: history.historySamples,
    HistorySessions: history.historySessions,
    Key: keys.keyRecord,
    NewKey: keys.newKey,
    OwnKey: ownKey.result,
    RestoredBackup: restoreBackup.result,
    Scope: keys.scope,
  },
  'webhooks.ts': {
    NewWebhook: webhooks.newWebhook,
    Webhook: webhooks.webhookRecord,
    WebhookDeliveries: webhooks.deliveryPage,
    WebhookEvent: webhooks.webhookRecord.entries.events.item,
    WebhookFormat: webhooks.webhookRecord.entries.format,
  },
  'host.ts': {
    GameHost: host.gameHostRecord,
    HostLogLine: host.logLine,
    HostOperation: host.hostOperation,
    HostRequest: host.hostRequest,
  },
  'schedules.ts': {
    Schedule: schedules.scheduleRecord,
    ScheduledAction: schedules.scheduledAction,
    ScheduleRun: schedules.scheduleRun,
  },
  'discord-servers.ts': {
    DiscordCode: discord.discordCode,
    DiscordServers: discordServers.result,
  },
}
/** A record of these members alone has the client's type `Done`. */
const done = '{ success: true; message: string }'

const names = new Map<Schema, string>([
  [int64, 'bigint'],
  ...Object.values(byHand).flatMap((of) =>
    Object.entries(of).map(([name, schema]) => [schema, name] as const),
  ),
])

/** The types of texts with a few possible values, by those values. */
const choices: ReadonlyMap<string, string> = new Map([
  [scopes.join(), 'Scope'],
  [webhooks.webhookRecord.entries.events.item.options.join(), 'WebhookEvent'],
  [webhooks.webhookRecord.entries.format.options.join(), 'WebhookFormat'],
])

/** The members of valibot's schemas that show the type of a value. */
interface Described {
  readonly type: string
  readonly literal?: unknown
  readonly options?: readonly unknown[]
  readonly entries?: Readonly<Record<string, Described>>
  readonly item?: Described
  readonly items?: readonly Described[]
  readonly key?: Described
  readonly value?: Described
  readonly wrapped?: Described
}

/** @throws {Error} for a schema whose type has no line here yet */
function typeOf(schema: Described, isSent = false): string {
  const name = names.get(schema as unknown as Schema)
  if (name !== undefined) return name
  const { type, wrapped, item, entries = {}, options = [] } = schema
  if (['string', 'number', 'boolean', 'bigint', 'unknown', 'undefined'].includes(type)) return type
  if (type === 'literal') return textOf(schema.literal)
  if (type === 'picklist') return choices.get(options.join()) ?? options.map(textOf).join(' | ')
  if (type === 'union' || type === 'variant')
    return (options as Described[]).map((one) => typeOf(one, isSent)).join(' | ')
  if (type === 'array' && item !== undefined) return listOf(typeOf(item, isSent))
  if (type === 'record' && schema.key !== undefined && schema.value !== undefined)
    return `Record<${typeOf(schema.key)}, ${typeOf(schema.value)}>`
  if (wrapped !== undefined) return `${typeOf(wrapped)} | undefined`
  if (type === 'object' || type === 'strict_object') {
    const shape = `{ ${Object.entries(entries)
      .map((entry) => member(entry, isSent))
      .join('; ')} }`
    return shape === done ? 'Done' : shape
  }
  throw new Error(`no type of TypeScript for a schema of type ${type}`)
}

const textOf = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))
const listOf = (type: string) => (type.includes(' ') && !type.startsWith('{') ? `(${type})[]` : `${type}[]`)
/** @param isSent a member that the client sends may also be undefined */
function member([name, schema]: readonly [string, Described], isSent: boolean): string {
  const { type, wrapped } = schema
  if (type !== 'exact_optional' || wrapped === undefined)
    return `${name}${type === 'optional' ? '?' : ''}: ${typeOf(schema, isSent)}`
  return `${name}?: ${typeOf(wrapped, isSent)}${isSent ? ' | undefined' : ''}`
}

const typesOfParameters: Readonly<Record<string, string>> = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  string: 'string',
}

const isInt64 = (schema: unknown) => Object(schema).format === 'int64'

function parameterType({ schema }: Parameter<unknown>): string {
  if (isInt64(schema) || [schema['anyOf']].flat().some(isInt64)) return 'bigint'
  const type = typesOfParameters[String(schema['type'])]
  if (type === undefined)
    throw new Error(`no type of TypeScript for a parameter of type ${String(schema['type'])}`)
  return type
}

/** The input of a call, and whether all of it is optional. */
function given({ parameters, body, needsOne }: Endpoint): {
  readonly type: string
  readonly isOptional: boolean
} {
  const described = body?.schema as unknown as Described | undefined
  const query = Object.entries(parameters).map(([name, parameter]) => {
    const type = parameterType(parameter)
    return parameter.required ? `${name}: ${type}` : `${name}?: ${type} | undefined`
  })
  const members = Object.values(described?.entries ?? {})
  const isOptional =
    needsOne !== true &&
    Object.values(parameters).every(({ required }) => !required) &&
    members.every(({ type }) => type.endsWith('optional'))
  const types = [
    ...(described === undefined || query.length > 0 ? [`{ ${query.join('; ')} }`] : []),
    ...(described === undefined ? [] : [typeOf(described, true)]),
  ]
  return { type: types.join(' & '), isOptional }
}

/** The name of the call of an operation: its id without a leading `get`. */
const callName = ({ operationId }: Endpoint) =>
  operationId.replace(/^get(.)/, (_get, first: string) => first.toLowerCase())

function call(endpoint: Endpoint): string {
  const { type, isOptional } = given(endpoint)
  const answer = typeOf(endpoint.result as unknown as Described)
  const takes =
    type === '{  }'
      ? `CallWithout<${answer}>`
      : `${isOptional ? 'CallWithOptional' : 'Call'}<${type}, ${answer}>`
  return `  /** ${endpoint.summary}. */\n  ${callName(endpoint)}: ${takes}`
}

const called = endpoints.filter(({ stream }) => stream === undefined)

/** The text of `client/calls.ts`, before it is formatted. */
export function callsSource(): string {
  const calls = called.map(call).join('\n')
  const imports = Object.entries(byHand).map(([file, of]) => {
    const all = file === 'game-records.ts' ? [...Object.keys(of), 'Done'].sort() : Object.keys(of)
    const used = all.filter((name) => new RegExp(`\\b${name}\\b`).test(calls))
    return `import type { ${used.join(', ')} } from './${file}'`
  })
  return `/** Every call of the HTTP API: its name is the operation id in \`/docs\`, without a leading \`get\`. Written by \`npm run generate\`. */
${imports.sort().join('\n')}
import type { Call, CallWithOptional, CallWithout } from './call.ts'

/** @throws {FarmgateError} each of them, with the \`code\` of the answer */
export interface Calls {
${calls}
}

export type CallName = keyof Calls
`
}

/** Milliseconds that the client waits longer than the server. */
const slack = 20_000

/** The text of `client/routes.ts`, before it is formatted. */
export function routesSource(): string {
  const routes = called.map((endpoint) => {
    const { method, path, body, budget, parameters } = endpoint
    const inQuery = Object.keys(parameters).map((name) => `'${name}'`)
    const more = [
      ...(body === undefined ? [] : ['hasBody: true']),
      ...(body === undefined || inQuery.length === 0 ? [] : [`inQuery: [${inQuery.join(', ')}]`]),
      ...(budget === undefined ? [] : [`timeout: ${budget + slack}`]),
    ]
    return `  ${callName(endpoint)}: { ${[`method: '${method}'`, `path: '${path}'`, ...more].join(', ')} },`
  })
  return `/** The method and path of each call. Written by \`npm run generate\`. */
import type { Route } from './call.ts'
import type { CallName } from './calls.ts'

export const routes: Readonly<Record<CallName, Route>> = {
${routes.join('\n')}
}
`
}

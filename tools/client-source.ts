/** What `npm run generate` makes from the endpoints: the types and calls of the client, and the edge's list. */

import * as v from 'valibot'
import { nameOfPath } from '../client/call.ts'
import * as accounts from '../handlers/account-record.ts'
import * as allowlists from '../handlers/allowlist.ts'
import * as audit from '../handlers/audit-entry.ts'
import { backupList } from '../handlers/backup-list.ts'
import * as backups from '../handlers/backup-record.ts'
import { cause } from '../handlers/cause.ts'
import { chatErrorCodes } from '../handlers/chat/messages.ts'
import { deletionResult } from '../handlers/deletion.ts'
import * as discord from '../handlers/discord-record.ts'
import type { Endpoint } from '../handlers/endpoint.ts'
import { endpoints } from '../handlers/endpoints/all-endpoints.ts'
import { changeSettings } from '../handlers/endpoints/change-settings.ts'
import { discordServers } from '../handlers/endpoints/discord-servers.ts'
import { fleetEndpoints } from '../handlers/endpoints/fleet-endpoints.ts'
import { health } from '../handlers/endpoints/health.ts'
import { ownKey } from '../handlers/endpoints/own-key.ts'
import { restoreBackup } from '../handlers/endpoints/restore-backup.ts'
import { sharedEndpoints } from '../handlers/endpoints/shared-endpoints.ts'
import * as expected from '../handlers/expected-farm.ts'
import { fleetEntry } from '../handlers/fleet.ts'
import * as fleetAction from '../handlers/fleet-action.ts'
import { forwardedEndpoints } from '../handlers/forwarded-endpoint.ts'
import { gameHostRecord } from '../handlers/game-host-record.ts'
import * as game from '../handlers/game-records.ts'
import * as history from '../handlers/history-records.ts'
import * as host from '../handlers/host-record.ts'
import { int64 } from '../handlers/int64.ts'
import * as keys from '../handlers/key-record.ts'
import * as mods from '../handlers/mod-record.ts'
import { newFarm } from '../handlers/new-farm.ts'
import type { Parameter } from '../handlers/parameter.ts'
import { problemTable } from '../handlers/problem-table.ts'
import * as saves from '../handlers/save-record.ts'
import * as schedules from '../handlers/schedule-record.ts'
import { settingsPatch } from '../handlers/settings-change.ts'
import * as webhooks from '../handlers/webhook-record.ts'

type Schema = v.GenericSchema

/** The types of the client that have a name. */
const named: Readonly<Record<string, Schema>> = {
  Account: keys.account,
  AccountGroup: accounts.accountGroup,
  AccountRecord: accounts.accountRecord,
  Accounts: accounts.accountList,
  AuditEntry: audit.auditEntry,
  AuditPage: audit.auditPage,
  Backup: backups.backupRecord,
  Backups: backupList,
  Cabin: game.cabin,
  Cabins: game.cabins,
  Cause: cause,
  CauseCode: cause.entries.code,
  Connection: game.connection,
  Deleted: deletionResult,
  DiscordCode: discord.discordCode,
  DiscordRole: discord.discordRole,
  DiscordServer: discord.discordServer,
  DiscordServers: discordServers.result,
  GameAccount: game.gameAccount,
  Farmhand: game.farmhand,
  Farmhands: game.farmhands,
  FarmMark: expected.farmMark,
  FarmOutcome: fleetAction.farmOutcome,
  FleetAction: fleetAction.fleetAction,
  FleetActionSummary: fleetAction.fleetActionSummary,
  FleetActionName: fleetAction.fleetActionRequest.entries.action,
  FleetActionRequest: fleetAction.fleetActionRequest,
  FleetEntry: fleetEntry,
  FleetTrouble: fleetEntry.entries.trouble.item,
  GameHost: gameHostRecord,
  Health: health.result,
  HistoryChat: history.historyChat,
  HistoryDays: history.historyDays,
  HistoryOutages: history.historyOutages,
  HistoryPlayers: history.historyPlayers,
  HistorySamples: history.historySamples,
  HistorySessions: history.historySessions,
  HostLogLine: host.logLine,
  HostOperation: host.hostOperation,
  HostOperationState: host.operationState,
  HostRequest: host.hostRequest,
  Invitation: accounts.invitationRecord,
  JoinPath: game.connection.entries.joinPath,
  Key: keys.keyRecord,
  LoadRequest: host.loadRequest,
  KeptSchedule: schedules.keptSchedule,
  MadeBackup: backups.madeBackup,
  InstalledMods: mods.installedMods,
  Mod: mods.modRecord,
  ModDependency: mods.modDependency,
  ModProblem: mods.modProblem,
  Mods: mods.modList,
  ModSide: mods.modSide,
  NewFarm: newFarm,
  NewGame: game.newGame,
  NewInvitation: accounts.newInvitation,
  NewKey: keys.newKey,
  NewWebhook: webhooks.newWebhook,
  OwnKey: ownKey.result,
  PackLink: mods.packLinkRecord,
  PasswordProtection: game.passwordProtection,
  Player: game.player,
  Players: game.players,
  RestoredBackup: restoreBackup.result,
  AllowedAccount: allowlists.allowedAccount,
  Allowlist: allowlists.allowlist,
  Save: saves.saveRecord,
  Schedule: schedules.scheduleRecord,
  ScheduledAction: schedules.scheduledAction,
  ScheduleRun: schedules.scheduleRun,
  Scope: keys.scope,
  Screenshot: game.screenshot,
  Season: game.status.entries.season,
  Settings: game.settings,
  SettingsChange: changeSettings.result,
  SettingsPatch: settingsPatch,
  Stats: game.stats,
  UnexpectedFarm: expected.unexpectedFarm,
  Status: game.status,
  Summary: history.summary,
  Webhook: webhooks.webhookRecord,
  WebhookDeliveries: webhooks.deliveryPage,
  WebhookDelivery: webhooks.delivery,
  WebhookEvent: webhooks.webhookRecord.entries.events.item,
  WebhookFormat: webhooks.webhookRecord.entries.format,
}
/** A record of these members alone has the type `Done`. */
const done = '{ success: true; message: string }'

const names = new Map<unknown, string>([
  [int64, 'bigint'],
  ...Object.entries(named).map(([name, schema]) => [schema, name] as const),
])

/** The named types of texts with a few possible values, by those values. */
const choices: ReadonlyMap<string, string> = new Map(
  Object.entries(named).flatMap(([name, schema]) =>
    'options' in schema ? [[String(schema.options), name] as const] : [],
  ),
)

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
  readonly pipe?: readonly unknown[]
}

/**
 * @param isSent optional members that the client sends may also be undefined
 * @throws {Error} for a schema whose type has no line here yet
 */
function typeOf(schema: Described, isSent = false): string {
  const name = names.get(schema) ?? names.get(schema.pipe?.[0]) ?? choices.get(String(schema.options))
  return name ?? unnamed(schema, isSent)
}

function unnamed(schema: Described, isSent: boolean): string {
  const { type, wrapped, item, entries = {}, options = [] } = schema
  if (['string', 'number', 'boolean', 'bigint', 'unknown', 'undefined'].includes(type)) return type
  if (type === 'literal') return textOf(schema.literal)
  if (type === 'picklist') return oneOf(options)
  if (type === 'union' || type === 'variant') return unionOf(options as Described[], isSent)
  if (type === 'array' && item !== undefined) return listOf(typeOf(item, isSent))
  if (type === 'record' && schema.key !== undefined && schema.value !== undefined)
    return `Record<${typeOf(schema.key)}, ${typeOf(schema.value)}>`
  if (wrapped !== undefined) return `${typeOf(wrapped)} | ${type === 'nullable' ? 'null' : 'undefined'}`
  if (type.endsWith('object')) {
    const members = Object.entries(entries).map((entry) => member(entry, isSent))
    const hasComments = members.some((one) => one.includes('/**'))
    const shape = hasComments ? `{\n${members.join('\n')}\n}` : `{ ${members.join('; ')} }`
    return shape === done ? 'Done' : type === 'loose_object' ? `${shape} & Record<string, unknown>` : shape
  }
  throw new Error(`no type of TypeScript for a schema of type ${type}`)
}

/** The values of a longer list than a named one are that name and the others. */
function oneOf(options: readonly unknown[]): string {
  const isPart = (values: string) => values.includes(',') && String(options).startsWith(`${values},`)
  const [values = '', name] = [...choices].find(([part]) => isPart(part)) ?? []
  const others = name === undefined ? options : options.slice(values.split(',').length)
  return [...(name === undefined ? [] : [name]), ...others.map(textOf)].join(' | ')
}

function unionOf(options: readonly Described[], isSent: boolean): string {
  const types = options.map((one) => typeOf(one, isSent))
  return types.filter((type) => !type.startsWith("'") || !types.includes('string')).join(' | ')
}

/** The comment with the description of a schema; empty without one. */
function docOf(schema: Described): string {
  const words = v.getDescription(schema as unknown as Schema)
  return words === undefined ? '' : `/** ${words} */\n`
}

const textOf = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))
const listOf = (type: string) => (type.includes(' ') && !type.startsWith('{') ? `(${type})[]` : `${type}[]`)
function member([name, schema]: readonly [string, Described], isSent: boolean): string {
  const { type, wrapped } = schema
  const doc = [schema, wrapped].map((one) => (one === undefined || names.has(one) ? '' : docOf(one))).join('')
  if (type !== 'exact_optional' || wrapped === undefined)
    return `${doc}${name}${type === 'optional' ? '?' : ''}: ${typeOf(schema, isSent)}`
  return `${doc}${name}?: ${typeOf(wrapped)}${isSent ? ' | undefined' : ''}`
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
function given({ parameters, body, upload, needsOne }: Endpoint): {
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
    upload === undefined &&
    members.every(({ type }) => type.endsWith('optional'))
  const types = [
    ...(upload === undefined ? [] : ['{ content: Blob }']),
    ...((described === undefined && upload === undefined) || query.length > 0
      ? [`{ ${query.join('; ')} }`]
      : []),
    ...(described === undefined ? [] : [typeOf(described, true)]),
  ]
  return { type: types.join(' & '), isOptional }
}

/** The name of the call of an operation: its id without a leading `get`. */
const callName = ({ operationId }: Endpoint) =>
  operationId.replace(/^get(.)/, (_get, first: string) => first.toLowerCase())

/** The names of `client/types.ts` in a type. */
const ofTypes = new RegExp(`\\b(${[...Object.keys(named), 'Done'].join('|')})\\b`, 'g')

function call(endpoint: Endpoint): string {
  const { type, isOptional } = given(endpoint)
  const answer = typeOf(endpoint.result as unknown as Described)
  const takes =
    type === '{  }'
      ? `CallWithout<${answer}>`
      : `${isOptional ? 'CallWithOptional' : 'Call'}<${type}, ${answer}>`
  const qualified = takes.replace(ofTypes, 'of.$&')
  return `  /** ${endpoint.summary}. */\n  ${callName(endpoint)}: ${qualified}`
}

/** Streams have calls of their own, and redirects are for browsers. */
const called = endpoints.filter(({ stream, redirect }) => stream === undefined && redirect !== true)

const written = 'Written by `npm run generate`.'

function namedType([name, schema]: readonly [string, Schema]): string {
  const described = schema as unknown as Described
  const isSent = [...endpoints, ...fleetEndpoints].some(({ body }) => body?.schema === schema)
  const base = Object.entries(named).find(([, other]) => isExtended(described, other as unknown as Described))
  const entries = Object.entries(described.entries ?? {})
  const own = entries.filter(([member, of]) => Object(base?.[1]).entries?.[member] !== of)
  const type = unnamed(
    base === undefined ? described : { ...described, entries: Object.fromEntries(own) },
    isSent,
  )
  const isRecord = type.startsWith('{') && type.endsWith('}')
  const head = isRecord
    ? `interface ${name}${base === undefined ? '' : ` extends ${base[0]}`}`
    : `type ${name} =`
  return `${docOf(described)}export ${head} ${type}`
}

/** Whether a record has every member of another one, and more. */
function isExtended({ entries = {} }: Described, { entries: of }: Described): boolean {
  const base = Object.entries(of ?? {})
  return (
    base.length > 1 &&
    base.length < Object.keys(entries).length &&
    base.every(([member, schema]) => entries[member] === schema)
  )
}

/** A type of many texts, in full lines. */
function codes(name: string, values: readonly string[]): string {
  const lines = ['']
  for (const value of values) {
    const next = `${lines.at(-1)} | ${textOf(value)}`
    if (next.length > 106) lines.push(` | ${textOf(value)}`)
    else lines[lines.length - 1] = next
  }
  return `// biome-ignore format: one code a line would be a page of them.\nexport type ${name} =\n${lines.map((line) => ` ${line}`).join('\n')}`
}

/** The text of `client/types.ts`, before it is formatted. */
const typesSource = (): string => `/**
 * The records of the API as plain types. Ids are bigints; timestamps are ISO 8601 in UTC with milliseconds.
 * ${written}
 */

${Object.entries(named).map(namedType).join('\n\n')}

/** The answer to a change that returns nothing else. */
export interface Done ${done}

/** Error codes of the server's answers: docs/api.md. */
${codes('AnswerCode', Object.keys(problemTable))}

/** Error codes of refused messages on a live connection: docs/bot.md. */
${codes('ChatCode', chatErrorCodes)}
`

/** Those types of texts whose values programs list. */
const listed = {
  fleetTroubles: 'FleetTrouble',
  scopes: 'Scope',
  webhookEvents: 'WebhookEvent',
  webhookFormats: 'WebhookFormat',
} as const

/** The text of `client/choices.ts`, before it is formatted. */
const choicesSource = (): string => `/** The values of some types. ${written} */
import type { ${Object.values(listed).join(', ')} } from './types.ts'

${Object.entries(listed)
  .map(([list, type]) => {
    const values = [...choices].find(([, name]) => name === type)?.[0].split(',') ?? []
    return `export const ${list}: readonly ${type}[] = [${values.map(textOf).join(', ')}]`
  })
  .join('\n')}
`

/** The text of `client/calls.ts`, before it is formatted. */
function callsSource(): string {
  const calls = called.map(call).join('\n')
  return `/** Every call of the HTTP API: its name is the operation id in \`/docs\`, without a leading \`get\`. ${written} */
import type { Call, CallWithOptional, CallWithout } from './call.ts'
import type * as of from './types.ts'

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
function routesSource(): string {
  const routes = called.map((endpoint) => {
    const { method, path, body, upload, parameters } = endpoint
    const type = upload === undefined ? body && 'json' : upload.type.replace('application/', '')
    const inQuery = type === undefined ? [] : Object.keys(parameters)
    const name = callName(endpoint)
    const named = name === nameOfPath(path) ? [] : [name]
    return [method, ...named, path, ...(type === undefined ? [] : [type]), ...inQuery].join(' ')
  })
  const timeouts = called.flatMap((endpoint) =>
    endpoint.budget === undefined ? [] : [`  ${callName(endpoint)}: ${endpoint.budget + slack},`],
  )
  // Sorted texts compress better.
  return `/** Where each call is sent. ${written} */
import type { CallName } from './calls.ts'

/** See \`routesOf\`. */
export const routeTexts = [
${routes
  .sort()
  .map((text) => `  '${text}',`)
  .join('\n')}
]

/** Milliseconds; loading, creating or copying a world takes up to two minutes. */
export const timeouts: Readonly<Partial<Record<CallName, number>>> = {
${timeouts.join('\n')}
}
`
}

/** The text of `handlers/endpoints/forwarded-endpoints.ts`, before it is formatted. */
function forwardedSource(): string {
  const unshared = endpoints.filter((one) => !sharedEndpoints.includes(one))
  const calls = forwardedEndpoints(unshared).map(
    ({ at: _, method, path, access, scope, operationId, parameters, ...more }) => {
      const given: unknown[] = [
        method,
        path,
        access === 'public' ? access : (scope ?? access),
        operationId,
        parameters,
      ]
      if (Object.keys(more).length > 0) given.push(more)
      return `  atFarm(${given.map((one) => JSON.stringify(one)).join(', ')}),`
    },
  )
  return `/** The endpoints that the edge forwards to the farm. ${written} */
import { atFarm } from '../forwarded-endpoint.ts'

export const forwardedEndpoints = [
${calls.join('\n')}
]
`
}

/** The generated files. */
export const sources = {
  'client/types.ts': typesSource,
  'client/choices.ts': choicesSource,
  'client/calls.ts': callsSource,
  'client/routes.ts': routesSource,
  'handlers/endpoints/forwarded-endpoints.ts': forwardedSource,
}

/** All tables of the database, with what is read from them and written to them. A new table is added here. */
import type { DatabaseSync } from 'node:sqlite'
import { accountsTable } from './accounts-table.ts'
import { allowlistTable } from './allowlist-table.ts'
import { auditTable } from './audit-table.ts'
import { chatTable } from './chat-table.ts'
import { daysTable } from './days-table.ts'
import { deliveriesTable } from './deliveries-table.ts'
import { discordTable } from './discord-table.ts'
import { expectedFarmTable } from './expected-farm-table.ts'
import { hostTable } from './host-table.ts'
import { keysTable } from './keys-table.ts'
import { numbersTable } from './numbers-table.ts'
import { outagesTable } from './outages-table.ts'
import type { Prune } from './prune.ts'
import type { Skipped } from './readable-rows.ts'
import { samplesTable } from './samples-table.ts'
import { schedulesTable } from './schedules-table.ts'
import { sessionsTable } from './sessions-table.ts'
import { webhooksTable } from './webhooks-table.ts'

/** The time of a deletion, by table. */
const deletedAt = {
  keys: 'revokedAt',
  webhooks: 'deletedAt',
  discordServers: 'unboundAt',
  schedules: 'deletedAt',
  accounts: 'deletedAt',
  invitations: 'deletedAt',
} as const

/** Milliseconds. */
const kept = 86_400_000
/** Maximum of rows of each table that are removed at once. */
const rowsAtOnce = 500

/** @returns removes some of them; call it once a minute, while the database is on the disk @param now milliseconds since 1970 */
function tombstones(db: DatabaseSync): (now: number) => void {
  const removals = Object.entries(deletedAt).map(([table, column]) =>
    db.prepare(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${column} <= ? LIMIT ${rowsAtOnce})`,
    ),
  )
  return (now) => {
    for (const removal of removals) removal.run(now - kept)
  }
}

/** @param skipped called for each damaged row that an answer omits */
export function tables(db: DatabaseSync, skipped: Skipped) {
  const sessions = sessionsTable(db, skipped)
  const all = [
    auditTable(db, skipped),
    keysTable(db, skipped),
    sessions,
    samplesTable(db),
    daysTable(db, skipped),
    outagesTable(db, skipped),
    chatTable(db, skipped),
    webhooksTable(db, skipped),
    deliveriesTable(db, skipped),
    discordTable(db, skipped),
    hostTable(db, skipped),
    schedulesTable(db, skipped),
    accountsTable(db, skipped),
    allowlistTable(db, skipped),
    expectedFarmTable(db, skipped),
    numbersTable(db),
  ] as const
  type Table = (typeof all)[number]
  /** The calls of all tables of one kind. */
  const every = <Kind extends 'reads' | 'writes' | 'later'>(kind: Kind) =>
    // The compiler cannot infer that the object has exactly these calls.
    Object.assign({}, ...all.map((table) => Reflect.get(table, kind))) as Together<Of<Table, Kind>>
  return {
    reads: every('reads'),
    /** Answered when they are on the disk. */
    writes: every('writes'),
    /** Not answered; on the disk within a second. */
    later: every('later'),
    /** Call this after rows of another database were copied into this one. */
    copied: sessions.copied,
    forgetDeleted: tombstones(db),
    /** Expired rows. */
    prunes: all.flatMap((table): readonly Prune[] => ('prunes' in table ? table.prunes : [])),
  }
}

type Of<Table, Kind extends string> = Table extends { readonly [Name in Kind]: infer Calls } ? Calls : never
/** Members of all types of a union. */
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

export type Tables = ReturnType<typeof tables>

/** Tables of which something can be taken from a holder. */
const ofHolders = [
  'keys',
  'webhooks',
  'discordServers',
  'discordCodes',
  'schedules',
  'accounts',
  'invitations',
  'accountGroups',
  'allowlist',
] as const

/** Tables whose rows memory keeps, however full it is. */
export const keptInMemory: readonly string[] = [
  ...ofHolders,
  'numbers',
  'discordCommands',
  'hostOperations',
  'expectedFarm',
]

const allRows = (tables: readonly string[]) => Object.fromEntries(tables.map((table) => [table, 'TRUE']))

/**
 * The rows to copy into memory when the disk is readable but no longer writable, by table: those that change later.
 * They are copied back with their changes.
 */
export const carriedOver: Readonly<Record<string, string>> = {
  ...allRows(keptInMemory),
  deliveries: 'endedAt IS NULL',
  // Ids are microseconds; no write takes ten minutes.
  audit: 'status IS NULL AND id > (SELECT max(id) FROM audit) - 600000000',
  sessions: 'ended IS NULL',
  days: 'beganAt = (SELECT max(beganAt) FROM days)',
  outages: 'ended IS NULL',
  // Each sample computes the summary of its hour again.
  samples: 'at > (SELECT max(at) FROM samples) - 3600000',
}

/** Calls that take something from a holder: they are written even when nothing else can be. */
export const deletions = [
  'revokeKey',
  'deleteWebhook',
  'setDiscordRoles',
  'unbindDiscordServer',
  'deleteSchedule',
  'signOut',
  'changeAccount',
  'deleteAccount',
  'setAccountGroups',
  'deleteInvitation',
  'setAllowlist',
] as const

/** The rows that these calls change, and their rows in the audit. */
export const deletionRows: Readonly<Record<string, string>> = {
  ...allRows(ofHolders),
  audit: `action IN (${deletions.map((name) => `'${name}'`).join()})`,
}

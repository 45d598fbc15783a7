/** The records of a moved farm: what comes, what stays behind, and a database that someone else made. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../../services/records/database.ts'
import { importRecords } from '../../../services/records/import-records.ts'
import { migrations } from '../../../services/records/migrations.ts'
import { tables } from '../../../services/records/tables.ts'
import { newFolder } from '../../new-folder.ts'

const now = Date.now()
const id = (digit: number) => String(digit).repeat(12)
const json = (value: object) => `'${JSON.stringify(value)}'`
const schedule = {
  ...{ id: id(1), name: 's', cron: '0 6 * * *', timeZone: 'UTC', do: { action: 'stop' } },
  ...{ onlyWhenEmpty: false, warnMinutes: [], enabled: true, createdAt: now, dueAt: now },
  maker: { id: 'api_key', name: 'API_KEY', ref: 'api_key' },
}
const account = {
  ...{ id: id(2), provider: 'discord', subject: '1', name: 'Robin', scopes: ['admin'] },
  ...{ groups: ['g'], createdAt: now, signedInAt: now },
}
const invitation = {
  ...{ id: id(3), digest: '0', scopes: ['admin'], uses: 1, used: 0 },
  ...{ createdAt: now, expiresAt: now + 86_400_000 },
}

/** A database with something in every table by which someone may do something. */
function oldDatabase(more = '', version = migrations.length) {
  const path = join(newFolder(), 'records.db')
  using db = openDatabase(path, { migrations: migrations.slice(0, version) })
  db.exec(`INSERT INTO audit (id, at, requestId, ${version < 7 ? 'door' : 'origin'}, address, action, parameters, outcome, status)
    VALUES (${now * 1000}, ${now}, 'r', '${version < 7 ? 'here' : 'local'}', '127.0.0.1', 'setTime', '{}', 'done', 200)`)
  db.enableDefensive(false)
  db.exec(more)
  db.exec('PRAGMA journal_mode = DELETE')
  return path
}
const everything = `
  INSERT INTO keys (id, name, scopes, digest, createdAt) VALUES ('${id(4)}', 'Bot', '["admin"]', x'00', 1);
  INSERT INTO keys (id, name, scopes, digest, createdAt, account) VALUES ('${id(5)}', '', '[]', x'00', ${now}, '${id(2)}');
  INSERT INTO keys (id, name, scopes, digest, createdAt, revokedAt) VALUES ('${id(6)}', 'Gone', '["admin"]', x'00', 1, 2);
  INSERT INTO schedules (id, createdAt, data) VALUES ('${id(1)}', 1, ${json(schedule)});
  INSERT INTO accounts (id, data) VALUES ('${id(2)}', ${json(account)});
  INSERT INTO invitations (id, data) VALUES ('${id(3)}', ${json(invitation)});
  INSERT INTO accountGroups (id, data) VALUES (1, '[{"provider":"discord","id":"g","scopes":["admin"]}]');
  INSERT INTO discordServers (id, roles, boundAt) VALUES ('77', '[{"id":"g","scopes":["control"]}]', 1);
  INSERT INTO webhooks (id, name, url, events, format, createdAt)
    VALUES ('${id(7)}', 'w', 'https://example.com/', '["farm.online"]', 'text', 1);
  INSERT INTO allowlist (id, data) VALUES (1, '{"accounts":[]}');
  INSERT INTO numbers VALUES ('nextChatLine', 7), ('gameShouldRun', 1);
  INSERT INTO chat VALUES (${now * 1000}, ${now}, '{}');`

function imported(from: string, isWithKeys = false) {
  const to = join(newFolder(), 'records.db')
  const result = importRecords(from, to, { isWithKeys, now })
  using db = new DatabaseSync(to)
  const { reads } = tables(db, () => expect.fail('a damaged row'))
  return {
    result,
    keys: reads.storedKeys().map(({ name }) => name),
    sessions: reads.storedSessions(now).length,
    accounts: reads.storedAccounts(now).map(({ scopes, groupScopes }) => [scopes, groupScopes]),
    groups: reads.accountGroups().length,
    invitations: reads.openInvitations(now).length,
    webhooks: reads.storedWebhooks().length,
    servers: reads.storedDiscordServers().length,
    schedules: reads.storedSchedules().map(({ enabled, dueAt }) => [enabled, dueAt]),
    audit: reads.audit({ limit: 10 }).entries.map(({ action }) => action),
    shouldRun: reads.keptNumber('gameShouldRun'),
    nextLine: reads.keptNumber('nextChatLine'),
    rows: (table: string) => {
      using again = new DatabaseSync(to)
      return again.prepare(`SELECT * FROM ${table}`).all()
    },
    triggers: db.prepare("SELECT name FROM sqlite_schema WHERE type NOT IN ('table', 'index')").all(),
  }
}

const common = {
  schedules: [[false, undefined]],
  audit: ['setTime'],
  shouldRun: undefined,
  nextLine: 7,
  triggers: [],
}

test('no key, session, scope, group, invitation, Discord server or webhook comes, schedules are disabled, and what came is counted', () => {
  expect(imported(oldDatabase(everything))).toMatchObject({
    ...common,
    ...{ keys: [], sessions: 0, accounts: [[[], []]], groups: 0, invitations: 0, webhooks: 0, servers: 0 },
    result: { came: { audit: 1, chat: 1, allowlist: 1, schedules: 1, accounts: 1 }, keys: [], keysLeft: 1 },
  })
})

test('with keys they come, each key by its name, revoked ones do not, and schedules are disabled too', () => {
  expect(imported(oldDatabase(everything), true)).toMatchObject({
    ...common,
    ...{ keys: ['Bot'], sessions: 1, accounts: [[['admin'], ['control', 'admin']]] },
    ...{ groups: 1, invitations: 1, webhooks: 1, servers: 1 },
    result: { keys: ['Bot'], keysLeft: 0 },
  })
})

test.each(migrations.map((_, at) => at + 1))('records of version %i come', (version) => {
  expect(imported(oldDatabase('', version))).toMatchObject({
    audit: ['setTime'],
    result: { came: { audit: 1 } },
  })
})

describe('a database with', () => {
  const replaced = (table: string, from: string, to: string) =>
    `PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${table}';
    PRAGMA writable_schema = OFF`
  test.each([
    ['a trigger', 'CREATE TRIGGER t AFTER UPDATE ON keys BEGIN DELETE FROM audit; END'],
    ['a view', 'CREATE VIEW v AS SELECT 1'],
    ['another table', 'CREATE TABLE other (a)'],
    ['an index on an expression', 'CREATE INDEX i ON keys (abs(revokedAt))'],
    ['a unique index', 'CREATE UNIQUE INDEX i ON keys (revokedAt)'],
    ['a generated column', 'ALTER TABLE keys ADD COLUMN x BLOB AS (zeroblob(1000))'],
    ['a check', replaced('audit', 'status INTEGER', 'status INTEGER CHECK (status IS NULL)')],
    ['a conflict clause', replaced('keys', 'digest BLOB NOT NULL', 'digest BLOB UNIQUE ON CONFLICT IGNORE')],
    ['a newer version', `PRAGMA user_version = ${migrations.length + 1}`],
    ['a version that is not its own', 'PRAGMA user_version = 3'],
  ])('%s is refused', (_what, change) => {
    expect(() => imported(oldDatabase(change))).toThrow(
      /its records are damaged, changed, or of a newer farmgate/,
    )
  })
})

test('rows that farmgate could not have stored stay behind', () => {
  const twice = JSON.stringify(account).replace('"scopes":["admin"]', '"scopes":[],"scopes":["admin"]')
  const found = imported(
    oldDatabase(`
      INSERT INTO chat VALUES (9007199254740991, 1, '{}'), (5, 1, '{}'), (6, 1, '${'x'.repeat(1_100_000)}');
      INSERT INTO numbers VALUES ('nextChatLine', 9007199254740991);
      INSERT INTO schedules (id, createdAt, data) VALUES ('${id(8)}', 1, '${'['.repeat(5000)}');
      INSERT INTO schedules (id, createdAt, data) VALUES ('x', 1, ${json(schedule)});
      INSERT INTO accounts (id, data) VALUES ('${id(2)}', '${twice}');`),
  )
  expect(found).toMatchObject({ schedules: [], nextLine: undefined, accounts: [[[], []]] })
  expect(found.rows('chat')).toMatchObject([{ seq: 5 }])
  expect(JSON.stringify(found.rows('accounts'))).not.toContain('admin')
})

test('bytes that are not a database are refused', () => {
  const path = join(newFolder(), 'records.db')
  writeFileSync(path, 'x')
  expect(() => imported(path)).toThrow(/its records are damaged/)
})

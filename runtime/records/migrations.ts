/**
 * The schema of the database, as the steps that made it: the number of a step, counted from 1, is the version of a
 * database that has it (`PRAGMA user_version`). A step that was released is never changed; a new one is added at the end.
 * Times are milliseconds since 1970.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    requestId TEXT NOT NULL,
    door TEXT NOT NULL,
    keyId TEXT,
    keyName TEXT,
    address TEXT NOT NULL,
    action TEXT NOT NULL,
    parameters TEXT NOT NULL,
    outcome TEXT NOT NULL,
    status INTEGER
  ) STRICT;
  CREATE INDEX auditByAction ON audit (action, id);
  CREATE INDEX auditByKey ON audit (keyId, id);
  CREATE TABLE keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    digest BLOB NOT NULL,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER,
    lastUsedAt INTEGER,
    revokedAt INTEGER
  ) STRICT, WITHOUT ROWID;`,
]

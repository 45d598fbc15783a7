/**
 * The schema of the database, as the steps that made it: the number of a step, counted from 1, is the version of a
 * database that has it (`PRAGMA user_version`). Released steps never change; new ones are added at the end. Times are
 * milliseconds since 1970.
 */
/** Summaries of samples: for each measure how often it was measured, its sum and its maximum. */
const summaries = (table: string) => `CREATE TABLE ${table} (
    at INTEGER PRIMARY KEY,
    ${['players', 'ticksPerSecond', 'tickMs', 'memoryMb', 'answerMs']
      .map((measure) => `${measure}Count INTEGER NOT NULL, ${measure}Sum REAL, ${measure}Max REAL`)
      .join(',\n    ')}
  ) STRICT;`

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
  `CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    playerId INTEGER NOT NULL,
    name TEXT NOT NULL,
    joinedAt INTEGER NOT NULL,
    seenAt INTEGER NOT NULL,
    played INTEGER NOT NULL,
    leftAt INTEGER,
    joinPath TEXT,
    ended TEXT
  ) STRICT;
  CREATE INDEX sessionsByPlayer ON sessions (playerId, id);
  CREATE INDEX sessionsByEnd ON sessions (leftAt, id);
  CREATE TABLE playersSeen (
    playerId INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    firstSeen INTEGER NOT NULL,
    lastSeen INTEGER NOT NULL,
    played INTEGER NOT NULL,
    sessions INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX playersByLastSeen ON playersSeen (lastSeen);
  CREATE TABLE days (
    beganAt INTEGER PRIMARY KEY,
    day INTEGER NOT NULL,
    season TEXT NOT NULL,
    year INTEGER NOT NULL,
    endedAt INTEGER,
    players TEXT NOT NULL
  ) STRICT;
  CREATE TABLE chat (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
  CREATE INDEX chatByTime ON chat (at);
  CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  CREATE TABLE samples (
    at INTEGER PRIMARY KEY,
    players REAL,
    ticksPerSecond REAL,
    tickMs REAL,
    memoryMb REAL,
    answerMs REAL
  ) STRICT;
  ${summaries('tenMinutes')}
  ${summaries('hours')}`,
  'ALTER TABLE audit ADD COLUMN isCommand INTEGER',
  `CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    secret BLOB,
    events TEXT NOT NULL,
    format TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    disabledAt INTEGER,
    deletedAt INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    webhookId TEXT NOT NULL,
    event TEXT NOT NULL,
    data TEXT NOT NULL,
    madeAt INTEGER NOT NULL,
    isSingle INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    firstTriedAt INTEGER,
    dueAt INTEGER NOT NULL,
    endedAt INTEGER,
    isDelivered INTEGER,
    status INTEGER,
    error TEXT
  ) STRICT;
  CREATE INDEX deliveriesByWebhook ON deliveries (webhookId, id);
  CREATE INDEX deliveriesWaiting ON deliveries (webhookId, isSingle, id) WHERE endedAt IS NULL;
  CREATE INDEX deliveriesEnded ON deliveries (madeAt) WHERE endedAt IS NOT NULL;
  CREATE INDEX deliveriesOfChat ON deliveries (madeAt) WHERE event = 'chat.message';`,
  `CREATE TABLE discordServers (
    id TEXT PRIMARY KEY,
    roles TEXT NOT NULL,
    boundAt INTEGER NOT NULL,
    unboundAt INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE discordCodes (
    digest TEXT PRIMARY KEY,
    expiresAt INTEGER NOT NULL,
    usedAt INTEGER
  ) STRICT, WITHOUT ROWID;`,
  'CREATE INDEX auditBeforeId ON audit (at) WHERE id - at * 1000 > 3600000000;',
  `ALTER TABLE audit RENAME COLUMN door TO origin;
  UPDATE audit SET origin = 'local' WHERE origin = 'here';
  UPDATE webhooks SET events = replace(events, '"key.braked"', '"key.throttled"');
  UPDATE deliveries SET event = 'key.throttled' WHERE event = 'key.braked';
  UPDATE numbers SET name = 'tokenDaysReported' WHERE name = 'tokenDaysTold';`,
  `ALTER TABLE deliveries ADD COLUMN triedAt INTEGER;
  CREATE TABLE discordCommands (
    id TEXT PRIMARY KEY,
    heardAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX discordCommandsByTime ON discordCommands (heardAt);`,
  `CREATE TABLE hostOperations (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    endedAt INTEGER,
    run TEXT,
    operation TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX hostOperationsByTime ON hostOperations (at);`,
  `CREATE TABLE schedules (
    id TEXT PRIMARY KEY,
    createdAt INTEGER NOT NULL,
    data TEXT NOT NULL,
    deletedAt INTEGER
  ) STRICT, WITHOUT ROWID;`,
  `ALTER TABLE keys ADD COLUMN account TEXT;
  ALTER TABLE audit ADD COLUMN account TEXT;
  CREATE TABLE accounts (id TEXT PRIMARY KEY, data TEXT NOT NULL, deletedAt INTEGER) STRICT, WITHOUT ROWID;
  CREATE TABLE invitations (id TEXT PRIMARY KEY, data TEXT NOT NULL, deletedAt INTEGER) STRICT, WITHOUT ROWID;
  CREATE TABLE accountGroups (id INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;`,
  'CREATE TABLE allowlist (id INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;',
  'ALTER TABLE keys ADD COLUMN madeBy TEXT',
  // Sessions without the secret of the page's origin no longer count.
  'UPDATE keys SET revokedAt = createdAt WHERE account IS NOT NULL AND revokedAt IS NULL',
  'CREATE TABLE expectedFarm (id INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;',
  'ALTER TABLE hostOperations ADD COLUMN plan TEXT',
  'CREATE TABLE chatOutages (id INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;',
  ['machineCpuPercent', 'machineMemoryMb', 'gameCpuPercent', 'gameMemoryMb', 'diskPercent']
    .flatMap((measure) => [
      `ALTER TABLE samples ADD COLUMN ${measure} REAL;`,
      ...['tenMinutes', 'hours'].flatMap((table) => [
        `ALTER TABLE ${table} ADD COLUMN ${measure}Count INTEGER NOT NULL DEFAULT 0;`,
        `ALTER TABLE ${table} ADD COLUMN ${measure}Sum REAL;`,
        `ALTER TABLE ${table} ADD COLUMN ${measure}Max REAL;`,
      ]),
    ])
    .join('\n'),
  `CREATE TABLE outages (
    began INTEGER NOT NULL,
    part TEXT NOT NULL,
    ended INTEGER,
    cause TEXT,
    PRIMARY KEY (began, part)
  ) STRICT, WITHOUT ROWID;`,
]

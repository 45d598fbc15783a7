/** farmgate's own records, as plain types like those of game-records.ts: keys, audit, history, backups. */
import type { JoinPath } from './game-records.ts'

/** The scopes of a key; `admin` includes the three others. */
export type Scope = 'read' | 'chat' | 'control' | 'admin'

/** The key of the caller. */
export interface OwnKey {
  /** `api_key` for `API_KEY`, `no_key` where the server has no key set. */
  id: string
  name: string
  scopes: Scope[]
}

/** A named key, without the key itself. */
export interface Key {
  id: string
  name: string
  scopes: Scope[]
  createdAt: string
  /** Missing when it does not expire. */
  expiresAt?: string | undefined
  /** To the minute; missing until it is used. */
  lastUsedAt?: string | undefined
}

export interface NewKey extends Key {
  /** The key itself, shown only here. */
  key: string
}

export interface AuditEntry {
  id: string
  at: string
  requestId: string
  /** The key that it was sent with. */
  key?: { id: string; name: string } | undefined
  address: string
  /** The operation id in `/docs`; `chat_send`, `wrongKey`. */
  action: string
  parameters: Record<string, unknown>
  origin: 'local' | 'edge' | 'cli' | 'discord' | 'schedule' | 'watchdog'
  /** `unknown`: the change may have been made. */
  outcome: 'done' | 'refused' | 'failed' | 'unknown'
  status?: number | undefined
}

export interface AuditPage {
  entries: AuditEntry[]
  next?: string | undefined
}

export interface HistorySessions {
  sessions: {
    playerId: bigint
    name: string
    joinedAt: string
    /** Missing while the player is on the farm. */
    leftAt?: string | undefined
    joinPath?: JoinPath | undefined
    /** `away`: the game stopped or no longer answered. `unknown`: farmgate did not run. */
    ended?: 'left' | 'away' | 'unknown' | undefined
  }[]
  next?: string | undefined
}

export interface HistoryPlayers {
  players: {
    playerId: bigint
    name: string
    firstSeen: string
    lastSeen: string
    minutesPlayed: number
    sessions: number
  }[]
}

/** Mean and maximum within one step. */
export interface Summary {
  mean: number
  max: number
}

export interface HistorySamples {
  /** Seconds of each step. */
  step: number
  samples: {
    /** When the step began. */
    at: string
    players?: Summary | undefined
    ticksPerSecond?: Summary | undefined
    tickMs?: Summary | undefined
    memoryMb?: Summary | undefined
    /** How long the game took to answer. */
    answerMs?: Summary | undefined
  }[]
}

export interface HistoryDays {
  days: {
    day: number
    season: string
    year: number
    beganAt: string
    /** Missing for the current day, and where it is unknown. */
    endedAt?: string | undefined
    players: { playerId: bigint; name: string }[]
  }[]
  next?: string | undefined
}

export interface HistoryChat {
  lines: { seq: number; playerName: string; message: string; timestamp: string }[]
  next?: string | undefined
}

/** A backup of the farm's save. */
export interface Backup {
  id: string
  madeAt: string
  /** `manual`: made by hand. */
  reason: 'day' | 'manual' | 'before_restore'
  farmName: string
  season: 'spring' | 'summer' | 'fall' | 'winter'
  day: number
  year: number
  /** Of the archive. */
  bytes: number
  /** When the archive was read back and found whole. */
  verifiedAt?: string | undefined
  /** The off-site copy; `none` where no off-site storage is set. */
  offsite: 'none' | 'pending' | 'done' | 'failed'
}

export interface MadeBackup extends Backup {
  /** False: a verified backup of the same save existed already, and this is it. */
  created: boolean
}

export interface RestoredBackup {
  success: true
  /** A sentence: what is restored, or would be, and what is lost. */
  message: string
  /** The id of the backup of the save before it was replaced. */
  safetyBackup?: string
}

export interface Backups {
  backups: Backup[]
  state: {
    /** `absent`: farmgate sees no saves. `read_only`: backups are possible, but no restore. */
    saves: 'mounted' | 'read_only' | 'absent'
    /** When the newest verified backup was made. */
    lastVerifiedAt?: string | undefined
    /**
     * Set while the last attempt has failed. `no_day`: the game has not reported a day for 15 minutes. `not_whole`:
     * the save is incomplete, or of another day. `disk_low`: only the reserve of free space is left. `other`: the log
     * has the cause.
     */
    failing?: 'no_day' | 'not_whole' | 'disk_low' | 'other' | undefined
    nextAfter: 'game day'
  }
}

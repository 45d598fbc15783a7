/**
 * The past of a demo at its first start: evenings of a month on which people played, what they said, changes of the
 * operator, and the backups of the last nights. All records are written in one transaction before the server opens
 * them.
 */
import { join } from 'node:path'
import type { FarmSettings } from '../../bridges/settings-file/farm-settings.ts'
import { type FarmDate, firstDay, tomorrow } from '../../bridges/simulated/calendar.ts'
import { smallTalk } from '../../bridges/simulated/people.ts'
import { type Random, seededRandom } from '../../bridges/simulated/random.ts'
import { savingSteps } from '../../bridges/simulated/save-files.ts'
import { simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { gameVersion } from '../../bridges/simulated/snapshot.ts'
import { chatMessage } from '../../handlers/chat/messages.ts'
import { systemClock } from '../../lib/clock.ts'
import { version } from '../../lib/version.ts'
import { backupStore } from '../../services/backups/backup-store.ts'
import { makeBackup } from '../../services/backups/make-backup.ts'
import { databaseFile, openDatabase } from '../../services/records/database.ts'
import { inTransaction } from '../../services/records/database-in-use.ts'
import { migrations } from '../../services/records/migrations.ts'
import { type Tables, tables } from '../../services/records/tables.ts'
import { examineSave } from '../../services/saves/examine-save.ts'
import { findSave } from '../../services/saves/saves-folder.ts'

export interface PastPlaces {
  /** `DATA_DIR`. */
  readonly data: string
  /** `SAVES_DIR`. */
  readonly saves: string
  /** `BACKUP_DIR`. */
  readonly backups: string
}

export interface PastFarm {
  readonly seed: string
  readonly settings: FarmSettings
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Evenings with players, and backups of the last nights. */
const [evenings, nightsKept] = [30, 7]

interface Player {
  readonly id: bigint
  readonly name: string
}

interface Visit extends Player {
  readonly from: number
  readonly to: number
}

interface Night extends FarmDate {
  /** When the day began, milliseconds since 1970. */
  readonly at: number
}

/** @param now milliseconds since 1970 */
export async function makePast(places: PastPlaces, farm: PastFarm, now: number): Promise<void> {
  const random = seededRandom(`${farm.seed} past`)
  const { players, hostId } = await peopleOf(farm)
  const visits = visitsOf(players, random, now)
  const days = daysOf(visits, now)
  writeRecords(places.data, { visits, days }, random, now)
  await makeBackups(places, farm, players, hostId, days)
}

/** The players who are present when the farm of this seed starts. */
async function peopleOf({ seed, settings }: PastFarm) {
  const game = simulatedFarm({ seed, settings, speed: 1, clock: systemClock, version })
  try {
    const { farmhands } = await game.farmhands()
    return { players: farmhands.filter(({ isCustomized }) => isCustomized), hostId: game.controls.hostId }
  } finally {
    await game.close()
  }
}

/** On most evenings most of them play for one to three hours. */
function visitsOf(players: readonly Player[], random: Random, now: number): readonly Visit[] {
  const visits: Visit[] = []
  for (let ago = evenings; ago >= 0; ago -= 1) {
    const midnight = new Date(now - ago * day).setHours(0, 0, 0, 0)
    const evening = midnight + 18 * hour + random.whole(0, 90) * minute
    for (const { id, name } of players) {
      const from = evening + random.whole(0, 40) * minute
      const to = from + random.whole(60, 170) * minute
      if (random.chance(0.7) && to < now - 10 * minute) visits.push({ id, name, from, to })
    }
  }
  return visits.toSorted((one, other) => one.from - other.from)
}

/** A day of the game begins about every hour while people play. */
function daysOf(visits: readonly Visit[], now: number): readonly Night[] {
  const days: Night[] = []
  let date = firstDay
  let last = 0
  for (let at = visits[0]?.from ?? now; at < now; at += 10 * minute) {
    if (at - last < 55 * minute || !visits.some(({ from, to }) => from <= at && at < to)) continue
    days.push({ ...date, at })
    date = tomorrow(date)
    last = at
  }
  return days
}

interface Past {
  readonly visits: readonly Visit[]
  readonly days: readonly Night[]
}

function writeRecords(data: string, past: Past, random: Random, now: number): void {
  const db = openDatabase(join(data, databaseFile), { migrations })
  try {
    const { later, writes } = tables(db, () => undefined)
    inTransaction(db, () => {
      writeVisits(later, past)
      writeSamples(later, past, random, now)
      writeChat({ later, writes }, past, random)
      writeAudit(writes, past.days)
    })
  } finally {
    db.close()
  }
}

function writeVisits(later: Tables['later'], { visits, days }: Past): void {
  for (const [at, { id, name, from, to }] of visits.entries()) {
    const session = { id: from * 1000 + at, playerId: id, name, joinedAt: from, seenAt: from, played: 0 }
    later.sessionBegan({ ...session, joinPath: 'relay' })
    later.sessionEnded({ ...session, seenAt: to, played: to - from }, 'left')
  }
  for (const [at, { at: beganAt, ...date }] of days.entries()) {
    later.dayBegan({ beganAt, ...date })
    const end = Math.min(days[at + 1]?.at ?? Number.POSITIVE_INFINITY, beganAt + hour)
    const present = visits.filter(({ from, to }) => from < end && to > beganAt)
    later.dayPlayers(
      beganAt,
      present.map(({ id, name }) => ({ playerId: id, name })),
    )
    later.dayEnded(beganAt, end)
  }
}

/** Every half hour of the month, every five minutes of the last two days, and every minute of the last hour. */
function writeSamples(later: Tables['later'], { visits }: Past, random: Random, now: number): void {
  const begin = now - evenings * day
  for (let at = Math.floor(begin / minute) * minute; at < now - minute; ) {
    const players = visits.filter(({ from, to }) => from <= at && at < to).length
    const wave = Math.sin(at / (3 * hour))
    later.sampled({
      at,
      players,
      ticksPerSecond: 60 - players * 0.3 - (random.chance(0.02) ? 12 : 0),
      tickMs: 1.7 + players * 0.5 + wave * 0.2 + random.fraction() * 0.3,
      memoryMb: 640 + players * 18 + (((at - begin) / day) % 4) * 45,
      answerMs: 2.5 + players + random.fraction() * 2,
    })
    at += now - at > 2 * day ? 30 * minute : now - at > hour ? 5 * minute : minute
  }
}

function writeChat(
  { later, writes }: Pick<Tables, 'later' | 'writes'>,
  { visits }: Past,
  random: Random,
): void {
  const lines = visits
    .flatMap(({ name, from, to }) =>
      Array.from({ length: random.whole(2, 6) }, () => ({
        playerName: name,
        message: random.pick(smallTalk),
        at: random.whole(from, to),
      })),
    )
    .toSorted((one, other) => one.at - other.at)
  for (const [index, { at, ...line }] of lines.entries()) {
    const seq = index + 1
    later.chatLine({ seq, text: chatMessage({ ...line, timestamp: new Date(at).toISOString() }, seq) }, at)
  }
  writes.numberChatFrom(lines.length + 1)
}

const changes = [
  ['setClockSpeed', { multiplier: 0.5 }],
  ['announce', { message: 'The server restarts at midnight' }],
  ['makeBackup', {}],
  ['setTime', { value: 600 }],
  ['changeSettings', { server: { maxPlayers: 10 } }],
  ['setRendering', { fps: 15 }],
] as const

/** An occasional change, some minutes after a day began. */
function writeAudit(writes: Tables['writes'], days: readonly Night[]): void {
  for (const [at, { at: beganAt }] of days.entries()) {
    const change = changes[(at / 3) % changes.length]
    if (change === undefined) continue
    const when = beganAt + 7 * minute
    const [action, parameters] = change
    writes.beganWrite({
      id: when * 1000,
      at: when,
      requestId: `demo-${at}`,
      origin: 'local',
      key: { id: 'api_key', name: 'API_KEY' },
      address: '127.0.0.1',
      action,
      parameters,
      end: { outcome: 'done', status: 200 },
    })
  }
}

/** The farm then continues from the last of these saves. */
async function makeBackups(
  { saves, backups }: PastPlaces,
  { settings }: PastFarm,
  players: readonly Player[],
  hostId: bigint,
  days: readonly Night[],
): Promise<void> {
  let madeAt = 0
  const store = backupStore(backups, () => madeAt)
  const { farmName } = settings.shown.game
  for (const { at, ...date } of days.slice(-nightsKept)) {
    madeAt = at + minute
    // Small ones, so that the start does not wait for them.
    const steps = savingSteps(join(saves, 'Saves'), {
      farmName,
      farmId: Number(hostId % 1_000_000_000n),
      date,
      host: 'Server',
      farmhands: players.map(({ name }) => name),
      gameVersion,
    })
    for (const { run } of steps) run()
    const save = await findSave(saves, farmName)
    const examined = save && (await examineSave(save))
    if (examined !== undefined) await makeBackup(store, examined, 'day', madeAt)
  }
}

/**
 * The past of a demo at its first start: evenings of a month on which people played, what they said, changes of the
 * operator, people who have signed in, three saves, and backups of ten days. The saves are there before the game is
 * opened; the rest is made while the server already listens, with all records in one transaction.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FarmSettings } from '../../bridges/settings-file/farm-settings.ts'
import { type FarmDate, firstDay, tomorrow } from '../../bridges/simulated/calendar.ts'
import { smallTalk } from '../../bridges/simulated/people.ts'
import { type Random, seededRandom } from '../../bridges/simulated/random.ts'
import { type GameSave, saveName, savingSteps } from '../../bridges/simulated/save-files.ts'
import { simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { gameVersion } from '../../bridges/simulated/snapshot.ts'
import { chatMessage } from '../../handlers/chat/messages.ts'
import type { Scope } from '../../handlers/key-holder.ts'
import { systemClock } from '../../lib/clock.ts'
import { version } from '../../lib/version.ts'
import { backupStore } from '../../services/backups/backup-store.ts'
import { makeBackup } from '../../services/backups/make-backup.ts'
import { databaseFile, openDatabase } from '../../services/records/database.ts'
import { inTransaction } from '../../services/records/database-in-use.ts'
import { migrations } from '../../services/records/migrations.ts'
import { type Tables, tables } from '../../services/records/tables.ts'
import { examineSave } from '../../services/saves/examine-save.ts'
import { pointerFolder } from '../../services/saves/pointed-name.ts'
import { pointTo } from '../../services/saves/pointer.ts'
import { saveAmong } from '../../services/saves/saves-folder.ts'
import { demoPerson } from './stand-ins.ts'

export interface PastPlaces {
  /** `DATA_DIR`. */
  readonly data: string
  /** `SAVES_DIR`. */
  readonly saves: string
  /** `BACKUP_DIR`. */
  readonly backups: string
  /** Where the saves of earlier days are while they are backed up. */
  readonly scratch: string
}

export interface PastFarm {
  readonly seed: string
  readonly settings: FarmSettings
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Evenings with players, and the last of them with a backup. */
const [evenings, backedUp] = [30, 10]

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

/**
 * Writes the saves: the farm continues from the first, and the other two can be loaded.
 * @param now milliseconds since 1970
 * @returns makes the rest
 */
export async function beginPast(
  places: PastPlaces,
  farm: PastFarm,
  now: number,
): Promise<() => Promise<void>> {
  const random = seededRandom(`${farm.seed} past`)
  const { players, hostId } = await peopleOf(farm)
  const visits = visitsOf(players, random, now)
  const days = daysOf(visits, now)
  const own = {
    farmName: farm.settings.shown.game.farmName,
    farmId: Number(hostId % 1_000_000_000n),
    date: days.at(-1) ?? firstDay,
    host: 'Server',
    farmhands: players.map(({ name }) => name),
    gameVersion,
  }
  for (const save of [...others.map((other) => ({ ...own, ...other })), own]) write(places.saves, save)
  mkdirSync(join(places.saves, pointerFolder), { recursive: true })
  await pointTo(places.saves, saveName(own))
  return async () => {
    writeRecords(places.data, { visits, days }, random, now)
    await makeBackups(places, own, days)
  }
}

/** Farms that are not played now. */
const others = [
  { farmName: 'Willow', farmId: 204_417_355, date: { season: 'summer', day: 12, year: 2 } },
  { farmName: 'Old Mill', farmId: 118_230_746, date: { season: 'winter', day: 3, year: 1 } },
] as const

function write(saves: string, save: GameSave): void {
  for (const { run } of savingSteps(join(saves, 'Saves'), save)) run()
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
      writeChat(later, past, random)
      writeAudit(writes, past.days)
      writeAccounts(writes, now)
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

function writeChat(later: Tables['later'], { visits }: Past, random: Random): void {
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

/** People who have signed in, with what an admin has given them; the first is who signs in at the demo's issuer. */
const people: readonly (readonly [
  subject: string,
  name: string,
  scopes: readonly Scope[],
  daysAgo: number,
])[] = [
  [demoPerson.subject, demoPerson.name, ['read', 'chat', 'control'], 9],
  ['robin', 'Robin', ['read', 'chat', 'control'], 6],
  ['abby', 'Abby', ['read', 'chat'], 3],
  ['sam', 'Sam', [], 1],
]

function writeAccounts(writes: Tables['writes'], now: number): void {
  const hex = () => randomBytes(6).toString('hex')
  for (const [subject, name, scopes, daysAgo] of people) {
    const at = now - daysAgo * day
    const session = { id: hex(), digest: randomBytes(32), accountId: hex() }
    const id = writes.signIn({ provider: 'oidc', subject, name, groups: [] }, session, at)
    if (id === undefined) continue
    writes.changeAccount(id, scopes)
    writes.signOut(id, at + hour)
  }
}

/** Of the last game day of each evening. */
async function makeBackups(
  { backups, scratch }: PastPlaces,
  own: GameSave,
  days: readonly Night[],
): Promise<void> {
  let madeAt = 0
  const store = backupStore(backups, () => madeAt)
  const evenings = Map.groupBy(days, ({ at }) => new Date(at - 6 * hour).toDateString())
  const nights = [...evenings.values()].flatMap((ofEvening) => ofEvening.slice(-1))
  for (const { at, ...date } of nights.slice(-backedUp)) {
    madeAt = at + minute
    write(scratch, { ...own, date })
    const examined = await examineSave(saveAmong(scratch, saveName(own)))
    if (examined !== undefined) await makeBackup(store, examined, 'day', madeAt)
  }
}

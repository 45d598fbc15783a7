/** A past day: samples with a hole, players' sessions, and the days of the game. */
import type { OwnRecords } from '../../services/records/own-records.ts'

const minute = 60_000
const hour = 60 * minute

/** The names of the charts of what machine and game use. */
export const resourceCharts = [
  'Processors of the machine',
  'Memory of the machine',
  'Processors used by the game',
  'Memory of the game process',
  'Fullest disk',
]

interface Past {
  readonly people: readonly { readonly playerId: bigint; readonly name: string }[]
  /** Sessions: the index in `people`, and from and to in hours before now. One that ends now is only in the samples. */
  readonly visits: readonly (readonly [who: number, from: number, to: number])[]
  /** The first of six days of a spring. */
  readonly firstDay: { readonly day: number; readonly year: number }
}

const people = [
  { playerId: 101n, name: 'Abby' },
  { playerId: 102n, name: '宝宝' },
  { playerId: 103n, name: '<b>Sam</b>' },
  { playerId: 104n, name: `A${'very'.repeat(30)}LongName` },
]
const visits = [
  [0, 22, 19.5],
  [1, 21, 18],
  [2, 14, 13.9],
  [3, 10, 6],
  [0, 9, 5.5],
  [1, 7, 6.2],
  [0, 3, 1],
  [2, 2.5, 0.8],
] as const
const strangers: Past = { people, visits, firstDay: { day: 3, year: 2 } }

/** @param now milliseconds since 1970 */
export function livePastDay(
  { later }: Pick<OwnRecords, 'later'>,
  now: number,
  { people, visits, firstDay }: Past = strangers,
): void {
  const there = visits.map(([who, from, to]) => ({ who, from: now - from * hour, to: now - to * hour }))
  for (let ago = 23 * 60; ago > 1; ago -= 2) {
    const at = Math.floor((now - ago * minute) / minute) * minute
    // Two hours in which the game was offline.
    if (ago < 14 * 60 && ago > 12 * 60) continue
    const players = there.filter(({ from, to }) => from <= at && at < to).length
    const wave = Math.sin(ago / 90)
    later.sampled({
      at,
      players,
      ticksPerSecond: 60 - players * 0.2 - (ago % 170 === 0 ? 14 : 0),
      tickMs: 1.6 + players * 0.5 + wave * 0.3 + (ago % 130 === 0 ? 6 : 0),
      memoryMb: 610 + ((23 * 60 - ago) % 600) * 0.4,
      answerMs: 2.4 + players + Math.abs(wave) * 2,
      machineCpuPercent: 20 + players * 4 + wave * 5,
      machineMemoryMb: 3100 + wave * 80,
      gameCpuPercent: 12 + players * 3 + wave * 4,
      gameMemoryMb: 1450 + ((23 * 60 - ago) % 600) * 0.4,
      diskPercent: 61 + (23 * 60 - ago) / 400,
    })
  }
  for (const { who, from, to } of there) {
    const player = people[who]
    if (player === undefined || to === now) continue
    const began = { ...player, id: from * 1000, joinedAt: from, seenAt: from, played: 0 }
    later.sessionBegan({ ...began, joinPath: 'relay' })
    later.sessionEnded({ ...began, seenAt: to, played: to - from }, 'left')
  }
  for (let day = 0; day < 6; day += 1) {
    const beganAt = now - (22 - day * 3.6) * hour
    later.dayBegan({ beganAt, day: firstDay.day + day, season: 'spring', year: firstDay.year })
    later.dayPlayers(beganAt, people.slice(0, 1 + (day % 3)))
    later.dayEnded(beganAt, beganAt + 3.5 * hour)
  }
}

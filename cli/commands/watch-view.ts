/** The screen of `farmgate watch`, as lines of text. */
import type { ChatLine, Health, Live, LiveState, Stats } from '../../client/index.ts'
import { cut } from '../terminal/table.ts'
import { paint, type Text } from '../terminal/text.ts'
import { lineOf } from './chat.ts'
import { clockTime, gameDay } from './game-time.ts'
import { stateOf } from './status.ts'

export type Rates = Partial<Stats>

interface Seen {
  readonly live: Pick<Live, 'state' | 'status' | 'players'>
  readonly url: string
  /** Oldest first. */
  readonly lines: ChatLine[]
  readonly rates: Rates
  readonly health?: Health | undefined
  /** Why there is no live connection now. */
  readonly problem?: string | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

const states: Readonly<Record<LiveState, Text>> = {
  live: paint('green', 'live'),
  connecting: paint('yellow', 'connecting …'),
  away: paint('red', 'the game is offline'),
  refused: paint('red', 'the key is not accepted'),
  closed: 'closed',
}

/** @returns at most `rows` lines of at most `columns` */
export function view(
  { live, url, lines, rates, health, problem, now }: Seen,
  columns: number,
  rows: number,
): Text[] {
  const { status, players } = live
  const head: Text[] = [
    [paint('bold', status?.farmName || new URL(url).host), '  ', states[live.state]],
    ...(problem === undefined ? [] : [paint('yellow', problem)]),
    ...(status === undefined
      ? []
      : [
          [gameDay(status), '  ', paint('bold', clockTime(status.timeOfDay)), '  ', stateOf(status, health)],
          `${players?.players.length ?? status.playerCount} of ${status.maxPlayers} players`,
        ]),
    ratesLine(rates, lines, now),
    '',
    paint('bold', 'Players'),
  ]
  const names = (players?.players ?? []).map(({ name }) => `  ${name}`)
  const foot = paint('dim', 'q ends')
  const room = Math.max(0, rows - head.length - 4)
  const shownNames = names.slice(0, Math.max(1, Math.floor(room / 2)))
  const more = names.length - shownNames.length
  const shownLines = lines.slice(-Math.max(1, room - shownNames.length - (more > 0 ? 1 : 0)))
  return [
    ...head,
    ...shownNames,
    ...(more > 0 ? [`  and ${more} more`] : []),
    '',
    paint('bold', 'Chat'),
    ...shownLines.map((line) => lineOf(line.playerName, line.message, line.timestamp)),
    foot,
  ]
    .slice(0, rows)
    .map((line) => cut(line, columns))
}

function ratesLine({ tps, avgTickMs, memoryMb }: Rates, lines: readonly ChatLine[], now: number): Text {
  const lastMinute = lines.filter(({ timestamp }) => Date.parse(timestamp) > now - 60_000).length
  return [
    tps === undefined ? '' : `${Math.round(tps)} ticks/s  `,
    avgTickMs === undefined ? '' : `${avgTickMs.toFixed(1)} ms/tick  `,
    memoryMb === undefined ? '' : `${Math.round(memoryMb)} MB  `,
    `${lastMinute} chat lines/min`,
  ]
}

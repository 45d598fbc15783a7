import type { Farm } from '../../client/index.ts'
import { wrongUsage } from '../outcome/failure.ts'
import type { Text } from '../terminal/text.ts'
import { type AddCommand, commonOptions, runs, showRows, withExamples } from './add-command.ts'
import { gameDay } from './game-time.ts'

interface Kept {
  /** The API's answer; some have pages. */
  readonly record: object & { readonly next?: string | undefined }
  readonly header: readonly string[]
  readonly rows: readonly (readonly Text[])[]
}

interface HistoryQuery {
  readonly page: { readonly limit: number; readonly before?: string }
  /** Seconds. */
  readonly step: number
}

const reads = [
  'historyPlayers',
  'historySessions',
  'historySamples',
  'historyDays',
  'historyChat',
  'historyOutages',
] as const
type HistoryFarm = Pick<Farm, (typeof reads)[number]>

/** The kinds of history: how each is read, and its columns. */
const kinds: Readonly<Record<string, (farm: HistoryFarm, query: HistoryQuery) => Promise<Kept>>> = {
  async players(farm) {
    const record = await farm.historyPlayers()
    const rows = record.players.map(({ name, playerId, lastSeen, minutesPlayed, sessions }) => [
      name,
      String(playerId),
      lastSeen,
      String(minutesPlayed),
      String(sessions),
    ])
    return { record, header: ['Name', 'Id', 'Last seen', 'Minutes', 'Sessions'], rows }
  },
  async sessions(farm, { page }) {
    const record = await farm.historySessions(page)
    const rows = record.sessions.map(({ name, joinedAt, leftAt, ended, joinPath }) => [
      name,
      joinedAt,
      leftAt ?? '',
      ended ?? 'still here',
      joinPath ?? '',
    ])
    return { record, header: ['Name', 'Joined', 'Left', 'Ended', 'Joined by'], rows }
  },
  async samples(farm, { step }) {
    const record = await farm.historySamples({ step })
    const rows = record.samples.map(({ at, players, ticksPerSecond, tickMs, memoryMb, answerMs }) => [
      at,
      ...[players, ticksPerSecond, tickMs, memoryMb, answerMs].map((one) =>
        one === undefined ? '' : `${shortened(one.mean)} (${shortened(one.max)})`,
      ),
    ])
    const header = ['At', 'Players', 'Ticks/s', 'ms/tick', 'Memory MB', 'Answer ms']
    return { record, header, rows }
  },
  async days(farm, { page }) {
    const record = await farm.historyDays(page)
    const rows = record.days.map(({ beganAt, endedAt, players, ...day }) => [
      gameDay(day),
      beganAt,
      endedAt ?? '',
      players.map(({ name }) => name).join(', '),
    ])
    return { record, header: ['Day', 'Began', 'Ended', 'Players'], rows }
  },
  async outages(farm) {
    const record = await farm.historyOutages()
    const rows = record.outages.map(({ of, from, to, cause }) => [of, from, to ?? 'ongoing', cause ?? ''])
    return { record, header: ['Affected', 'From', 'To', 'Cause'], rows }
  },
  async chat(farm, { page }) {
    const record = await farm.historyChat(page)
    const rows = record.lines.map(({ timestamp, playerName, message }) => [timestamp, playerName, message])
    return { record, header: ['At', 'Name', 'Line'], rows }
  },
}

const shortened = (value: number) => String(Math.round(value * 10) / 10)

interface Options {
  readonly limit: string
  readonly before?: string
  readonly step: string
}

export const history: AddCommand = (program, context) => {
  const command = program
    .command('history [what]')
    .description(`show the past: ${Object.keys(kinds).join(', ')} (default: players)`)
    .option('--limit <rows>', 'of sessions, days and chat: at most 500', '50')
    .option('--before <next>', 'of sessions, days and chat: only what is older')
    .option('--step <seconds>', 'of samples: length of each step', '3600')
  withExamples(command, 'history', 'history sessions', 'history chat --limit 200 --json')
  runs(
    command,
    context,
    reads,
    async ({ farm }, what: string | undefined, { limit, before, step }: Options) => {
      if (!/^[1-9][0-9]{0,2}$/.test(limit)) throw wrongUsage('--limit is a whole number from 1 to 500.')
      if (!/^[1-9][0-9]{0,6}$/.test(step)) throw wrongUsage('--step is a whole number of seconds.')
      const name = what ?? 'players'
      const read = Object.hasOwn(kinds, name) ? kinds[name] : undefined
      if (read === undefined) throw wrongUsage(`The history has ${Object.keys(kinds).join(', ')}.`)
      const page = { limit: Number(limit), ...(before !== undefined && { before }) }
      const { record, header, rows } = await read(farm, { page, step: Number(step) })
      const ifNone = before === undefined ? 'Nothing is kept yet.' : 'Nothing older is kept.'
      showRows(command, context, record, () => ({ header, rows, ifNone }))
      if (record.next !== undefined && commonOptions(command).json !== true)
        context.notes.line(`Older ones: farmgate history ${name} --before ${record.next}`)
    },
  )
}

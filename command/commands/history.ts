import type { Farm } from '../../client/index.ts'
import { wrongUsage } from '../outcome/failure.ts'
import { table } from '../terminal/table.ts'
import type { Text } from '../terminal/text.ts'
import { type AddCommand, farmOf, show, withExamples } from './add-command.ts'
import { gameDay } from './game-time.ts'

interface Kept {
  readonly record: unknown
  readonly header: readonly string[]
  readonly rows: readonly (readonly Text[])[]
}

/** What is kept: how it is read, and which columns it has. */
const kinds: Readonly<Record<string, (farm: Farm, limit: number) => Promise<Kept>>> = {
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
  async sessions(farm, limit) {
    const record = await farm.historySessions({ limit })
    const rows = record.sessions.map(({ name, joinedAt, leftAt, ended, joinPath }) => [
      name,
      joinedAt,
      leftAt ?? '',
      ended ?? 'still here',
      joinPath ?? '',
    ])
    return { record, header: ['Name', 'Joined', 'Left', 'Ended', 'Joined by'], rows }
  },
  async days(farm, limit) {
    const record = await farm.historyDays({ limit })
    const rows = record.days.map(({ beganAt, endedAt, players, ...day }) => [
      gameDay(day),
      beganAt,
      endedAt ?? '',
      players.map(({ name }) => name).join(', '),
    ])
    return { record, header: ['Day', 'Began', 'Ended', 'Players'], rows }
  },
  async chat(farm, limit) {
    const record = await farm.historyChat({ limit })
    const rows = record.lines.map(({ timestamp, playerName, message }) => [timestamp, playerName, message])
    return { record, header: ['At', 'Name', 'Line'], rows }
  },
}

export const history: AddCommand = (program, context) => {
  const command = program
    .command('history [what]')
    .description(`what was: ${Object.keys(kinds).join(', ')}; players when left out`)
    .option('--limit <rows>', 'at most 500', '50')
  withExamples(command, 'history', 'history sessions', 'history chat --limit 200 --json').action(
    async (what: string | undefined, { limit }: { limit: string }) => {
      if (!/^[1-9][0-9]{0,2}$/.test(limit)) throw wrongUsage('--limit is a whole number from 1 to 500.')
      const name = what ?? 'players'
      const read = Object.hasOwn(kinds, name) ? kinds[name] : undefined
      if (read === undefined) throw wrongUsage(`The history has ${Object.keys(kinds).join(', ')}.`)
      const { record, header, rows } = await read(farmOf(command, context).farm, Number(limit))
      show(command, context, record, () =>
        rows.length === 0 ? ['Nothing is kept yet.'] : table(header, rows, context.out.columns()),
      )
    },
  )
}

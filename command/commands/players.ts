import { table } from '../terminal/table.ts'
import { type AddCommand, farmOf, show, withExamples } from './add-command.ts'

export const players: AddCommand = (program, context) => {
  const command = program.command('players').description('who is connected')
  withExamples(command, 'players', "players --json | jq '.players[].name'").action(async () => {
    const record = await farmOf(command, context).farm.players()
    show(command, context, record, () => {
      if (record.players.length === 0) return ['Nobody is connected.']
      const rows = record.players.map(({ id, name, connection }) => [
        name,
        String(id),
        connection?.joinPath ?? '',
        connection?.identity ?? '',
      ])
      return table(['Name', 'Id', 'Joined by', 'Account'], rows, context.out.columns())
    })
  })
}

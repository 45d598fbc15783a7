import { type AddCommand, farmOf, showRows, withExamples } from './add-command.ts'

export const players: AddCommand = (program, context) => {
  const command = program.command('players').description('who is connected')
  withExamples(command, 'players', "players --json | jq '.players[].name'").action(async () => {
    const record = await farmOf(command, context).farm.players()
    showRows(command, context, record, () => {
      const rows = record.players.map(({ id, name, connection }) => [
        name,
        String(id),
        connection?.joinPath ?? '',
        connection?.identity ?? '',
      ])
      return { header: ['Name', 'Id', 'Joined by', 'Account'], rows, ifNone: 'No one is connected.' }
    })
  })
}

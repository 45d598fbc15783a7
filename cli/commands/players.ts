import { type AddCommand, runs, showRows, withExamples } from './add-command.ts'

export const players: AddCommand = (program, context) => {
  const command = program.command('players').description('who is connected')
  withExamples(command, 'players', "players --json | jq '.players[].name'")
  runs(command, context, ['players'], async ({ farm }) => {
    const record = await farm.players()
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

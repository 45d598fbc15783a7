import { type AddCommand, withExamples } from './add-command.ts'

export const serve: AddCommand = (program, context) => {
  const command = program
    .command('serve')
    .description('run the control API, configured by the environment')
    .option('--check-config', 'check the environment and end')
    .option('--farms <folder>', 'run the farm of each file <name>.env in the folder')
  withExamples(
    command,
    'serve --check-config',
    'serve   # with API_KEY, GAME_API_URL and GAME_API_KEY in the environment',
    'serve --farms /etc/farmgate/farms',
  ).action(async ({ checkConfig, farms }: { checkConfig?: true; farms?: string }) => {
    context.runOn()
    const { main } = await import('../../runtime/node/main.ts')
    await main([
      ...(checkConfig === true ? ['--check-config'] : []),
      ...(farms === undefined ? [] : ['--farms', farms]),
    ])
  })
}

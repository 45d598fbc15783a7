import { type AddCommand, withExamples } from './add-command.ts'

export const demo: AddCommand = (program, context) => {
  const command = program
    .command('demo')
    .description('run a simulated farm on this machine, with a key made for this run')
  withExamples(command, 'demo').action(async () => {
    context.runOn()
    const { demo } = await import('../demo/farm.ts')
    await demo([], 'npx farmgate')
  })
}

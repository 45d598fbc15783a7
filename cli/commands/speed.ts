import { wrongUsage } from '../outcome/failure.ts'
import { type AddCommand, runs, show, withExamples } from './add-command.ts'

export const speed: AddCommand = (program, context) => {
  const command = program
    .command('speed <multiplier>')
    .description('how fast the clock of the game runs until its next start: 1 is normal, 0.5 half as fast')
  withExamples(command, 'speed 0.5', 'speed 1')
  runs(command, context, ['setClockSpeed'], async ({ farm }, given: string) => {
    const multiplier = Number(given)
    if (!(multiplier > 0)) throw wrongUsage('The multiplier is a number above 0, such as 0.5.')
    const done = await farm.setClockSpeed({ multiplier })
    show(command, context, done, () => [`${done.multiplier} times as fast as normal`])
  })
}

import { wrongUsage } from '../outcome/failure.ts'
import { type AddCommand, runs, show, withExamples } from './add-command.ts'
import { clockTime, gameDay } from './game-time.ts'

export const time: AddCommand = (program, context) => {
  const command = program
    .command('time [value]')
    .description('the time of the game, or set it: 600 (6:00) to 2600 (2:00), which ends the day')
  withExamples(command, 'time', 'time 12:00', 'time 2600')
  runs(command, context, ['setTime', 'status'], async ({ farm }, value: string | undefined) => {
    if (value !== undefined) {
      const done = await farm.setTime({ value: timeOf(value) })
      return show(command, context, done, () => [done.message])
    }
    const { timeOfDay, day, season, year } = await farm.status()
    show(command, context, { timeOfDay, day, season, year }, () => [
      `${clockTime(timeOfDay)}, ${gameDay({ day, season, year })}`,
    ])
  })
}

function timeOf(text: string): number {
  const [, hours, minutes] = /^([0-9]{1,2}):?([0-9]{2})$/.exec(text) ?? []
  if (hours === undefined || minutes === undefined)
    throw wrongUsage('This is not a time of day.', 'Write it as 1200 or 12:00; 25:00 is 1 at night.')
  return Number(hours) * 100 + Number(minutes)
}

import { wrongUsage } from '../outcome/failure.ts'
import { type AddCommand, runs, show, showMessage, withExamples } from './add-command.ts'

export const rendering: AddCommand = (program, context) => {
  const command = program
    .command('rendering [fps]')
    .description("the display rate of the game server's own screen, or set it: frames per second, 0 is off")
  withExamples(command, 'rendering', 'rendering 15', 'rendering 0')
  runs(command, context, ['rendering', 'setRendering'], async ({ farm }, fps: string | undefined) => {
    if (fps === undefined) {
      const record = await farm.rendering()
      return show(command, context, record, () => [`${record.fps} frames per second`])
    }
    if (!/^[0-9]{1,3}$/.test(fps)) throw wrongUsage('The rate is a whole number from 0 to 240.')
    showMessage(command, context, await farm.setRendering({ fps: Number(fps) }))
  })
}

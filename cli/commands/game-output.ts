/** The game's log and its console. */

import { createInterface } from 'node:readline'
import { followLog } from '../../client/follow-log.ts'
import type { HostLogLine } from '../../client/index.ts'
import { failureOf, wrongUsage } from '../outcome/failure.ts'
import { paint, type Text } from '../terminal/text.ts'
import { type AddCommand, commonOptions, runs, show, withExamples } from './add-command.ts'
import { wallTime } from './game-time.ts'
import { interruption, outageNote, refusal } from './live-end.ts'

const textOf = ({ at, text }: Pick<HostLogLine, 'at' | 'text'>): Text =>
  at === undefined ? text : [paint('dim', `${wallTime(at)} `), text]

export const logs: AddCommand = (program, context) => {
  const command = program
    .command('logs')
    .description("the last lines of the game's log")
    .option('-f, --follow', 'then show new lines as they come, until Ctrl-C')
    .option('--lines <lines>', 'how many lines, at most 2000', '200')
  withExamples(command, 'logs --lines 50', 'logs --follow', 'logs --follow --json >> game.jsonl')
  runs(
    command,
    context,
    ['hostLog', 'health', 'live'],
    async ({ farm, problems }, { follow, lines }: { follow?: true; lines: string }) => {
      const count = Number(lines)
      if (!/^[1-9][0-9]{0,3}$/.test(lines) || count > 2000)
        throw wrongUsage('--lines is a whole number from 1 to 2000.')
      const { out, notes, interrupted } = context
      const isScript = commonOptions(command).json === true
      if (follow !== true) {
        const printed = await farm.hostLog({ lines: count })
        return show(command, context, printed, () => printed.lines.map(textOf))
      }
      // An address without an answer fails at once; the live connection would keep retrying.
      await farm.health()
      const unreadable = Promise.withResolvers<never>()
      let isRead = false
      const live = followLog(farm, {
        lines: count,
        onLine(line) {
          if ('missing' in line) notes.line(`${line.missing || 'Some'} lines are missing here.`)
          else if (isScript) out.json(line)
          else out.line(textOf(line))
        },
        onError(error) {
          if (error === undefined) isRead = true
          else if (isRead) notes.line(failureOf(error).message)
          else unreadable.reject(error)
        },
      })
      problems.on('problem', (problem) => problem.retry && notes.line(outageNote(problem)))
      const ends = [refusal(live, problems), interruption(interrupted()), unreadable.promise]
      await Promise.race(ends).finally(live.close)
    },
  )
}

export const consoleCommand: AddCommand = (program, context) => {
  const command = program
    .command('console [line...]')
    .description("type at the game's console: one line, or line by line until Ctrl-D")
  withExamples(command, 'console', 'console help', 'console < lines.txt')
  runs(command, context, ['typeAtConsole'], async ({ farm }, words: readonly string[]) => {
    const send = async (line: string) => {
      const done = await farm.typeAtConsole({ line })
      show(command, context, done, () => done.output)
    }
    if (words.length > 0) return send(words.join(' '))
    const prompt = () => context.hasPerson && context.notes.raw('> ')
    prompt()
    for await (const line of createInterface({ input: context.input, terminal: false })) {
      if (line.trim() !== '') await send(line.trim())
      prompt()
    }
  })
}

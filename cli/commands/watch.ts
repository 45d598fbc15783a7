import { once } from 'node:events'
import { setInterval } from 'node:timers'
import type { Health } from '../../client/index.ts'
import { wrongUsage } from '../outcome/failure.ts'
import { screen } from '../terminal/screen.ts'
import { type AddCommand, commonOptions, runs, withExamples } from './add-command.ts'
import { interruption, outageNote, refusal } from './live-end.ts'
import { type Rates, view } from './watch-view.ts'

/** Milliseconds. */
const statsEvery = 5000

export const watch: AddCommand = (program, context) => {
  const command = program
    .command('watch')
    .description('a live screen: farm, day, clock, players, last chat, rates; q ends it')
  withExamples(command, 'watch', 'watch --json   # an object on a line for each change')
  runs(command, context, ['health', 'live', 'stats'], async ({ url, farm, problems }) => {
    const isScript = commonOptions(command).json === true
    if (!isScript && !context.out.hasCursor)
      throw wrongUsage('watch needs a terminal.', 'For scripts: farmgate watch --json')
    await farm.health()
    const live = farm.live()
    const lines: Parameters<typeof view>[0]['lines'] = []
    let rates: Rates = {}
    let health: Health | undefined
    let problem: string | undefined
    const shown = isScript ? undefined : screen(context, () => draw())
    const draw = () =>
      shown?.draw(
        view(
          { live, url, lines, rates, health, problem, now: Date.now() },
          context.out.columns(),
          context.out.rows(),
        ),
      )
    const readRates = async () => {
      // A game server without statistics, or a key that may not read them: the row is omitted.
      const [stats, seen] = [farm.stats().catch(() => ({})), farm.health().catch(() => undefined)]
      rates = await stats
      health = await seen
      draw()
    }
    const show = (record: object) => (isScript ? context.out.json(record) : draw())
    live.on('chat', (line) => {
      lines.push(line)
      if (lines.length > 500) lines.shift()
      show(line)
    })
    live.on('event', show)
    live.on('state', (state) => {
      if (state !== 'connecting') problem = undefined
      show({ type: 'state', state })
    })
    problems.on('problem', (cause) => {
      if (!cause.retry) return
      problem = outageNote(cause)
      // The screen would overwrite a line on its terminal.
      if (isScript) context.notes.line(problem)
      else draw()
    })
    live.on('snapshot', (topic) => show({ type: 'snapshot', topic, data: live[topic] }))
    if (!isScript) void readRates()
    const timers = isScript ? [] : [setInterval(draw, 1000), setInterval(readRates, statsEvery)]
    try {
      const { quit } = shown ?? {}
      await Promise.race([
        refusal(live, problems),
        interruption(context.interrupted()),
        ...(quit === undefined ? [] : [once(quit, 'abort')]),
      ])
    } finally {
      for (const timer of timers) clearInterval(timer)
      shown?.close()
      live.close()
    }
  })
}

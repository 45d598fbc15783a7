import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { ChatLine, FarmEvent, Live, LiveState, Missed } from '../../client/index.ts'
import { oneAtATime } from '../../lib/one-at-a-time.ts'
import type { Place } from '../connection/place.ts'
import { failureOf, wrongUsage } from '../outcome/failure.ts'
import type { Context } from '../terminal/context.ts'
import { paint, type Text } from '../terminal/text.ts'
import { typing } from '../terminal/typing.ts'
import { type AddCommand, commonOptions, runs, withExamples } from './add-command.ts'
import { authorOf } from './author.ts'
import { wallTime } from './game-time.ts'
import { interruption, outageNote, refusal } from './live-end.ts'

interface Options {
  readonly as?: string
  readonly since?: string
}

export const chat: AddCommand = (program, context) => {
  const command = program
    .command('chat')
    .description('follow the game chat and say what you type; reconnects after an outage')
    .option('--as <author>', 'the name in front of what you say (your user name)')
    .option('--since <seq>', 'begin with the lines after that number (--json shows it)')
  withExamples(command, 'chat', 'chat --as Discord', 'chat --json --since 1795239234004000 >> chat.jsonl')
  runs(command, context, ['health', 'live'], async ({ farm, problems }, { as, since }: Options) => {
    if (since !== undefined && !/^[0-9]{1,16}$/.test(since)) throw wrongUsage('--since is the seq of a line.')
    // An address without an answer fails at once; the live connection would keep retrying.
    await farm.health()
    const live = farm.live({ ...(since !== undefined && { since: Number(since) }) })
    try {
      const isScript = commonOptions(command).json === true
      await follow(live, context, { author: authorOf(as), isScript, problems })
    } finally {
      live.close()
    }
  })
}

interface FollowOptions extends Pick<Place, 'problems'> {
  readonly author: string
  readonly isScript: boolean
}

/** Shows chat lines and says typed ones, until Ctrl-C, or Ctrl-D on a terminal. */
async function follow(
  live: Live,
  context: Context,
  { author, isScript, problems }: FollowOptions,
): Promise<void> {
  const { out, notes, input, hasPerson } = context
  const ended = new AbortController()
  const inTurn = oneAtATime().run
  const say = (message: string) => {
    if (message.trim() === '') return
    void inTurn(() => live.say({ author, message })).then(
      () => above(() => !isScript && out.line(lineOf(author, message, new Date().toISOString()))),
      (error) => above(() => notes.line([paint('red', 'not said: '), failureOf(error).message])),
    )
  }
  const note = (words: string) => above(() => notes.line(paint('dim', words)))

  const keys = {
    entered: say,
    ended: () => ended.abort(),
    interrupt: () => process.kill(process.pid, 'SIGINT'),
  }
  const hasTyping = hasPerson && notes.hasCursor
  const foot = hasTyping ? typing(context, keys) : undefined
  const above = (print: () => void) => (foot === undefined ? print() : foot.above(print))
  if (!hasTyping) {
    const lines = createInterface({ input, terminal: false }).on('line', say)
    if (hasPerson) lines.on('close', keys.ended)
  }

  live.on('state', (state) => words[state] !== undefined && note(words[state]))
  problems.on('problem', (problem) => problem.retry && note(outageNote(problem)))
  live.on('gap', (gap) =>
    isScript
      ? out.json({ type: 'gap', ...gap })
      : note('Some lines were missed; the server no longer has them.'),
  )
  const show = (item: ChatLine | FarmEvent | Missed) => {
    const line = isScript ? undefined : textOf(item)
    if (isScript) out.json(item)
    else if (line !== undefined) above(() => out.line(line))
  }
  live.on('chat', show)
  live.on('event', show)
  live.on('missed', show)
  if (live.state === 'live') note(words.live ?? '')
  try {
    await Promise.race([
      refusal(live, problems),
      once(ended.signal, 'abort'),
      interruption(context.interrupted()),
    ])
  } finally {
    foot?.close()
    input.pause()
  }
}

const words: Readonly<Partial<Record<LiveState, string>>> = {
  live: 'Connected.',
  connecting: 'The connection is lost, and tried again.',
  away: 'The game is offline.',
}

function textOf(item: ChatLine | FarmEvent | Missed): Text | undefined {
  if (item.type === 'missed')
    return paint('dim', `Lines may be missing from ${wallTime(item.from)} to ${wallTime(item.to)}`)
  if (item.type === 'chat') return lineOf(item.playerName, item.message, item.timestamp)
  if (item.event === 'player_joined') return happened(item, `${item.player.name} joined`)
  if (item.event === 'player.unlisted') return happened(item, `${item.player.name} is not on the allowlist`)
  if (item.event === 'player_changed') return happened(item, `A player is named ${item.player.name} now`)
  if (item.event === 'game.wrong_farm') return happened(item, 'The game does not play the expected farm')
  if (item.event === 'player_left') return happened(item, `${item.player.name} left`)
  if (item.event === 'day_started') return happened(item, `${item.season} ${item.day} begins`)
  return undefined
}

export const lineOf = (name: string, message: string, timestamp: string): Text => [
  paint('dim', wallTime(timestamp)),
  ' ',
  paint('bold', name),
  ': ',
  message,
]

const happened = ({ timestamp }: FarmEvent, what: string): Text =>
  paint('dim', `${wallTime(timestamp)} * ${what}`)

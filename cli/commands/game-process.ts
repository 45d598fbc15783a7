/** `start`, `stop` and `restart` of the game, and the operations that they begin. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Farm, HostOperation } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import type { Context } from '../terminal/context.ts'
import { type AddCommand, runs, show, showRows, withExamples } from './add-command.ts'

/** The options of `addStopOptions`. */
export interface StopOptions {
  readonly when?: string
  readonly warn?: string
  readonly backup?: boolean
  readonly force?: true
}

interface Options extends StopOptions {
  readonly reason?: string
  readonly wait?: true
}

const whens: readonly HostOperation['when'][] = ['now', 'empty', 'night']
/** Milliseconds between two looks at an operation. */
const pollEvery = 500

export const waitOption = ['--wait', 'show each step until it has ended; a failure exits with 1'] as const

const descriptions = {
  start: 'start the game',
  stop: 'stop the game: warn the players, make a backup, stop',
  restart: 'restart the game: warn the players, make a backup, stop, start',
} as const

const gameAction =
  (action: keyof typeof descriptions): AddCommand =>
  (program, context) => {
    const command = program.command(action).description(descriptions[action])
    if (action !== 'start') addStopOptions(command)
    command.option('--reason <text>', 'why, shown by farmgate operations').option(...waitOption)
    const example = action === 'start' ? 'start --wait' : `${action} --when empty --reason 'new mods' --wait`
    withExamples(command, action, example)
    runs(command, context, [`${action}Game`, 'hostOperations'], async ({ farm }, options: Options) => {
      const { reason } = options
      const wish = {
        ...(action !== 'start' && wishOf(options)),
        ...(reason !== undefined && { reason }),
      }
      const { operation } = await farm[`${action}Game`](wish)
      await showOperation(command, context, { farm, operation, wait: options.wait })
    })
  }

interface Begun {
  readonly farm: Pick<Farm, 'hostOperations'>
  readonly operation: HostOperation
  readonly wait: true | undefined
}

/** Shows an operation that has begun, or, with `--wait`, each step until it has ended. @throws {Failure} it failed */
export async function showOperation(command: Command, context: Context, { farm, operation, wait }: Begun) {
  const shown = wait === true ? await ended(farm, operation, context) : operation
  show(command, context, { operation: shown }, () => [`${shown.id} ${shown.state}`])
  if (shown.state === 'failed' || shown.state === 'cancelled') throw notDone(shown)
  if (wait === true) return
  if (shown.stopsAt !== undefined) context.notes.line(stopText(shown.stopsAt))
  context.notes.line('Its progress: farmgate operations')
}

/** How the game is stopped. */
export const addStopOptions = (command: Command): Command =>
  command
    .option(
      '--when <moment>',
      'now, empty (when no players are online) or night (after the next save)',
      'now',
    )
    .option('--warn <minutes>', 'minutes before the stop at which players are warned, or none', '10,5,1')
    .option('--no-backup', 'do not make a backup first')
    .option('--force', 'even if the night hangs, the backup fails, or the start creates a new farm')

export const start = gameAction('start')
export const stop = gameAction('stop')
export const restart = gameAction('restart')

/** @throws {Failure} an option is wrong */
export function wishOf({ when, warn, backup, force }: StopOptions) {
  const known = whens.find((one) => one === when)
  if (known === undefined) throw wrongUsage(`--when is one of ${whens.join(', ')}.`)
  return { when: known, warnMinutes: minutesOf(warn), backup: backup !== false, force: force === true }
}

/** @example minutesOf('10,5,1') // [10, 5, 1] @throws {Failure} it is not such a list */
export function minutesOf(text = 'none'): number[] {
  if (text === 'none') return []
  if (!/^[0-9]{1,2}(,[0-9]{1,2})*$/.test(text))
    throw wrongUsage('--warn is a list of minutes, or none.', 'For example: --warn 10,5,1')
  return text.split(',').map(Number)
}

/** Waits for the end of an operation, and shows each step. */
async function ended(farm: Begun['farm'], begun: HostOperation, { notes, interrupted }: Context) {
  let seen = 0
  for (;;) {
    const { operations: all } = await farm.hostOperations()
    const now = all.find(({ id }) => id === begun.id)
    if (now === undefined)
      throw new Failure(
        exitCodes.notFound,
        'The operation is no longer known.',
        'Check whether the game runs: farmgate status',
      )
    for (const { state, at } of now.steps.slice(seen)) notes.line(`${at} ${state}`)
    if (now.steps.length > seen && now.stopsAt !== undefined) notes.line(stopText(now.stopsAt))
    seen = now.steps.length
    if (now.endedAt !== undefined) return now
    await pause(pollEvery, undefined, { signal: interrupted() })
  }
}

const stopText = (at: string) => `The game stops at ${at}, or earlier if all players leave.`

const nouns = {
  ...{ start: 'start', stop: 'stop', restart: 'restart' },
  ...{ load_save: 'load of the save', new_farm: 'new farm' },
} as const satisfies Record<HostOperation['action'], string>

const notDone = ({ action, state, error, undone, lines = [] }: HostOperation) =>
  new Failure(
    exitCodes.failed,
    [
      `The ${nouns[action]} ${state === 'failed' ? 'failed' : 'was cancelled'}${error ? `: ${error}` : '.'}`,
      ...(undone ? ['The game plays the farm from before.'] : []),
      ...lines.map(({ text }) => `  ${text}`),
    ].join('\n'),
  )

export const operations: AddCommand = (program, context) => {
  const command = program
    .command('operations')
    .description('starts, stops and restarts of the game, newest first; cancel')
  withExamples(command, 'operations', 'operations cancel 6f1c2a9b03de')
  runs(command, context, ['hostOperations'], async ({ farm }) => {
    const record = await farm.hostOperations()
    showRows(command, context, record, () => ({
      header: ['Requested', 'Id', 'Action', 'When', 'State', 'By', 'Reason'],
      rows: record.operations.map(
        ({ requestedAt, id, action, when, state, by, reason = '', error, stopsAt }) => [
          ...[requestedAt, id, action, when],
          error !== undefined
            ? `${state}: ${error}`
            : stopsAt === undefined
              ? state
              : `${state}: stops at ${stopsAt}`,
          ...[by.name, reason],
        ],
      ),
      ifNone: 'No operations yet.',
    }))
  })
  const cancel = command
    .command('cancel <id>')
    .description('cancel an operation that has not begun to stop the game')
  withExamples(cancel, 'operations cancel 6f1c2a9b03de')
  runs(cancel, context, ['cancelHostOperation'], async ({ farm }, id: string) => {
    const done = await farm.cancelHostOperation({ id })
    show(cancel, context, done, () => [`${id} ${done.operation.state}`])
  })
}

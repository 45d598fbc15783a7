import { daily, everyHours, wholeHours } from '../../client/common-times.ts'
import type { Farm, Schedule, ScheduledAction, ScheduleRun } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, show, showMessage, showRows, withExamples } from './add-command.ts'
import { minutesOf } from './game-process.ts'

const actions: readonly ScheduledAction['action'][] = [
  'restart',
  'start',
  'stop',
  'backup',
  'announce',
  'reload',
  'clock_speed',
  'rendering',
]

interface Options {
  readonly name?: string
  readonly at?: string
  readonly every?: string
  readonly cron?: string
  readonly zone?: string
  readonly empty?: boolean
  readonly warn?: string
  readonly message?: string
  readonly multiplier?: string
  readonly fps?: string
}

export const schedules: AddCommand = (program, context) => {
  const command = program
    .command('schedules')
    .description('what farmgate does at set times: list, add, edit, run, enable, disable, remove')
  withExamples(
    command,
    'schedules',
    "schedules add 'Nightly restart' restart --at 05:00 --empty",
    'schedules run 6f1c2a9b03de',
  )
  runs(command, context, ['schedules'], async ({ farm }) => {
    const record = await farm.schedules()
    showRows(command, context, record, () => ({
      header: ['Name', 'Id', 'Action', 'Cron', 'Zone', 'Next', 'Last'],
      rows: record.schedules.map((one) => [
        ...[one.name, one.id, one.do.action, one.cron, one.timeZone],
        one.enabled ? nextText(one) : (one.disabledBecause ?? 'off'),
        one.last === undefined ? '' : runText(one.last),
      ]),
      ifNone: 'No schedules yet.',
    }))
  })

  const add = command
    .command('add <name> <action>')
    .description(
      `add one, in the time zone of this machine unless --zone is given; actions: ${actions.join(', ')}`,
    )
  for (const [option, text] of options) add.option(option, text)
  withExamples(
    add,
    "schedules add 'Nightly restart' restart --at 05:00 --zone Europe/Berlin --empty",
    'schedules add Backups backup --every 6',
    "schedules add Friday announce --cron '0 18 * * 5' --message 'Game night!'",
  )
  runs(add, context, ['createSchedule'], async ({ farm }, name: string, action: string, given: Options) => {
    const known = actions.find((one) => one === action)
    if (known === undefined) throw wrongUsage(`An action is one of ${actions.join(', ')}.`)
    const { cron, ...changes } = changesOf(given)
    if (cron === undefined) throw wrongUsage('Say when: --at 05:00, --every 6, or --cron.')
    const made = await farm.createSchedule({
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...changes,
      ...{ name, cron },
      do: { action: known, ...argumentsOf(given) },
    })
    show(add, context, made, () => [`${made.id} ${made.nextAt ?? ''}`])
  })

  const edit = command
    .command('edit <id>')
    .description('change a schedule; the options that are left out stay as they are')
    .option('--name <name>', 'another name')
  for (const [option, text] of options) edit.option(option, text)
  // After --empty, so that without either the schedule stays as it is.
  edit.option('--no-empty', 'also when players are online')
  withExamples(edit, 'schedules edit 6f1c2a9b03de --at 04:30')
  runs(edit, context, ['schedules', 'changeSchedule'], async ({ farm }, id: string, given: Options) => {
    const sent = argumentsOf(given)
    const found = await foundSchedule(farm, id)
    const done = await farm.changeSchedule({
      id,
      ...changesOf(given),
      ...(Object.keys(sent).length > 0 && { do: { ...found.do, ...sent } }),
    })
    show(edit, context, done, () => [`${done.id} ${done.nextAt ?? ''}`])
  })

  const run = command.command('run <id>').description('run a schedule now, and show the outcome')
  withExamples(run, 'schedules run 6f1c2a9b03de')
  runs(run, context, ['runSchedule'], async ({ farm }, id: string) => {
    const done = await farm.runSchedule({ id })
    show(run, context, done, () => [runText(done.last)])
    if (done.last.outcome === 'failed') throw new Failure(exitCodes.failed, 'The run failed.')
  })

  for (const enabled of [true, false]) {
    const name = enabled ? 'enable' : 'disable'
    const turn = command.command(`${name} <id>`).description(`turn a schedule ${enabled ? 'on' : 'off'}`)
    withExamples(turn, `schedules ${name} 6f1c2a9b03de`)
    runs(turn, context, ['changeSchedule'], async ({ farm }, id: string) => {
      const done = await farm.changeSchedule({ id, enabled })
      show(turn, context, done, () => [enabled ? `${id} ${done.nextAt ?? ''}` : `${id} off`])
    })
  }

  const remove = command
    .command('remove <id>')
    .description('delete a schedule; asks for its name first')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(remove, 'schedules remove 6f1c2a9b03de')
  runs(
    remove,
    context,
    ['schedules', 'deleteSchedule'],
    async ({ farm }, id: string, { yes }: { yes?: true }) => {
      const { name } = await foundSchedule(farm, id)
      await confirm(context, `This deletes the schedule ${name}.`, name, yes)
      showMessage(remove, context, await farm.deleteSchedule({ id }))
    },
  )
}

const someHours = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(wholeHours.map(String))

const runText = ({ outcome, detail }: ScheduleRun): string =>
  detail === undefined ? outcome : `${outcome}: ${detail}`

/** In the zone of the schedule, as its expression. @example '2026-11-30 05:00' */
function nextText({ nextAt, timeZone }: Schedule): string {
  if (nextAt === null) return ''
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone })
    return format.format(Date.parse(nextAt))
  } catch {
    // A zone that only the farm knows.
    return nextAt
  }
}

/** Of `add` and `edit`. */
const options = [
  ['--at <time>', 'every day at this time, such as 05:00'],
  ['--every <hours>', `every ${someHours} hours`],
  ['--cron <expression>', "any other time, in five fields: '0 5 * * 1'"],
  ['--zone <zone>', 'time zone, such as Europe/Berlin'],
  ['--empty', 'only when no players are online'],
  ['--warn <minutes>', 'minutes before the stop at which players are warned, such as 10,5,1'],
  ['--message <text>', 'for announce: the text'],
  ['--multiplier <times>', 'for clock_speed: 2 is twice the normal speed'],
  ['--fps <frames>', 'for rendering: frames per second; 0 turns it off'],
] as const

async function foundSchedule(farm: Pick<Farm, 'schedules'>, id: string): Promise<Schedule> {
  const found = (await farm.schedules()).schedules.find((one) => one.id === id)
  if (found !== undefined) return found
  throw new Failure(exitCodes.notFound, `There is no schedule ${id}.`, 'farmgate schedules lists them.')
}

function cronOf({ at, every, cron }: Options): string | undefined {
  if ([at, every, cron].filter((one) => one !== undefined).length > 1)
    throw wrongUsage('Give one of --at, --every and --cron.')
  if (every !== undefined) {
    if (!wholeHours.map(String).includes(every))
      throw wrongUsage(`--every is ${someHours} hours.`, 'For any other time: --cron')
    return everyHours(Number(every))
  }
  if (at === undefined) return cron
  const [, hour, minute] = /^([0-9]{1,2}):([0-9]{2})$/.exec(at) ?? []
  if (hour === undefined || minute === undefined) throw wrongUsage('--at is a time of day: 05:00.')
  return daily(Number(hour), Number(minute))
}

function changesOf(given: Options) {
  const { name, zone, empty, warn } = given
  const cron = cronOf(given)
  return {
    ...(name !== undefined && { name }),
    ...(cron !== undefined && { cron }),
    ...(zone !== undefined && { timeZone: zone }),
    ...(empty !== undefined && { onlyWhenEmpty: empty }),
    ...(warn !== undefined && { warnMinutes: minutesOf(warn) }),
  }
}

const argumentsOf = ({ message, multiplier, fps }: Options) => ({
  ...(message !== undefined && { message }),
  ...(multiplier !== undefined && { multiplier: Number(multiplier) }),
  ...(fps !== undefined && { fps: Number(fps) }),
})

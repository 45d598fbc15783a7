/** The saves in the game's folder: which one it plays, which one its next start loads; load, new, add. */
import type { Farm, NewFarm, Save, UnexpectedFarm } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, show, showMessage, showRows, withExamples } from './add-command.ts'
import { addStopOptions, type StopOptions, showOperation, waitOption, wishOf } from './game-process.ts'
import { gameDay } from './game-time.ts'
import { fileToSend } from './options.ts'

type NextSave = Awaited<ReturnType<Farm['saves']>>['next']

const example = 'Clover_123456789'

export const saves: AddCommand = (program, context) => {
  const command = program.command('saves').description("saves in the game's folder: list, load, new, add")
  withExamples(command, 'saves', `saves load ${example}`)
  runs(command, context, ['saves'], async ({ farm }) => {
    const record = await farm.saves()
    showRows(command, context, record, () => ({
      header: ['Id', 'Farm', 'Day', 'Host', ''],
      rows: record.saves.map((save) => [
        ...[save.name, save.farmName, gameDay(save)],
        save.host.isServer ? 'the server' : save.host.name,
        marksOf(save, record.next),
      ]),
      ifNone: 'The game has no save yet.',
    }))
    for (const warning of [alarmOf(record.unexpected), warningOf(record.next, record.saves.length > 0)])
      if (warning !== undefined) context.notes.line(warning)
  })

  const load = command
    .command('load <name>')
    .description('make the game load a save while no one is connected; asks for its name first')
    .option(
      '--host-to <id>',
      'who plays the farmer of a host that is a person: a Steam64 or GOG id, or server',
    )
    .option(...waitOption)
    .option('-y, --yes', 'do not ask for the name')
  withExamples(load, `saves load ${example}`, `saves load ${example} --host-to 76561198385195600`)
  runs(
    load,
    context,
    ['saves', 'chooseSave', 'hostOperations'],
    async ({ farm }, name: string, { hostTo, wait, yes }: LoadOptions) => {
      const { save, active } = await foundSave(farm, name)
      const { host } = save
      if (!host.isServer && hostTo === undefined)
        throw new Failure(
          exitCodes.refused,
          `A person, ${host.name}, has hosted this save, and a server that loads it takes that farmer over.`,
          `Say who plays ${host.name}: --host-to <Steam64 or GOG id>, or --host-to server, after which no one can play ${host.name} again.`,
        )
      const left =
        active === undefined
          ? ''
          : ` It stops playing ${active.farmName}: what was played there since the last night is lost.`
      await confirm(context, `The game will play ${save.farmName}, ${gameDay(save)}.${left}`, name, yes)
      const done = await farm.chooseSave({ name, hostTo })
      const { operation } = done
      if (operation === undefined) showMessage(load, context, done)
      else await showOperation(load, context, { farm, operation, wait })
    },
  )

  const fresh = command
    .command('new <name>')
    .description(
      'restart the game with a new farm; the present one stays in the list; asks for the name first',
    )
    .option('--kind <type>', 'the map: 0 to 7, or the name or mod id of a farm')
    .option('--cabins <number>', 'cabins at the start, 0 to 100')
    .option('--money <whose>', 'shared or separate')
    .option('--profit-margin <part>', 'of the usual prices, 0.25 to 1')
    .option('--monsters <when>', 'at night on the farm: auto, true or false')
  addStopOptions(fresh)
    .option('--reason <text>', 'why, shown by farmgate operations')
    .option(...waitOption)
    .option('-y, --yes', 'do not ask for the name')
  withExamples(
    fresh,
    'saves new Fern',
    'saves new Fern --kind 1 --cabins 3 --money separate --profit-margin 0.75 --wait',
  )
  runs(
    fresh,
    context,
    ['saves', 'startNewFarm', 'hostOperations'],
    async ({ farm }, name: string, options: NewOptions) => {
      const { reason, wait, yes } = options
      const wanted = {
        farmName: name,
        ...farmOptionsOf(options),
        ...wishOf(options),
        ...(reason !== undefined && { reason }),
      }
      const active = (await farm.saves()).saves.find((one) => one.active)
      const left =
        active === undefined
          ? ''
          : ` It stops playing ${active.farmName}, which stays in the list: farmgate saves load ${active.name}`
      await confirm(context, `The game restarts with a new farm ${name}.${left}`, name, yes)
      const { operation } = await farm.startNewFarm(wanted)
      await showOperation(fresh, context, { farm, operation, wait })
    },
  )

  const add = command
    .command('add <zip>')
    .description("add a save next to the others, from a backup, SMAPI's or a player's own")
    .option('--save <name>', 'which one, where the zip has several')
    .option('--check', 'only show what is in it')
  withExamples(add, `saves add ${example}.zip --check`, `saves add ${example}.zip`)
  runs(
    add,
    context,
    ['uploadSave'],
    async ({ farm }, zip: string, { save, check }: { save?: string; check?: true }) => {
      const content = await fileToSend(zip)
      const found = await farm.uploadSave({ content, save, dryRun: check })
      show(add, context, found, () => [
        `${found.name}: ${found.farmName}, ${gameDay(found)}, ${found.people.join(', ')}`,
      ])
      if (check !== true) context.notes.line(`To play it: farmgate saves load ${found.name}`)
    },
  )

  const expect = command
    .command('expect <name>')
    .description('say that a save is the right one to play, which ends the alarm')
  withExamples(expect, `saves expect ${example}`)
  runs(expect, context, ['expectSave'], async ({ farm }, name: string) => {
    showMessage(expect, context, await farm.expectSave({ name }))
  })
}

interface LoadOptions {
  readonly hostTo?: string
  readonly wait?: true
  readonly yes?: true
}

interface NewOptions extends StopOptions {
  readonly kind?: string
  readonly cabins?: string
  readonly money?: string
  readonly profitMargin?: string
  readonly monsters?: string
  readonly reason?: string
  readonly wait?: true
  readonly yes?: true
}

/** The settings that were given; farmgate checks their bounds. @throws {Failure} one of them is none of its words */
function farmOptionsOf({ kind, cabins, money, profitMargin, monsters }: NewOptions): Partial<NewFarm> {
  return {
    ...(kind !== undefined && { farmType: /^[0-9]+$/.test(kind) ? Number(kind) : kind }),
    ...(cabins !== undefined && { startingCabins: Number(cabins) }),
    ...(money !== undefined && {
      separateWallets: oneOf('--money', ['shared', 'separate'], money) === 'separate',
    }),
    ...(profitMargin !== undefined && { profitMargin: Number(profitMargin) }),
    ...(monsters !== undefined && {
      spawnMonstersAtNight: oneOf('--monsters', ['auto', 'true', 'false'], monsters),
    }),
  }
}

function oneOf<const Words extends readonly string[]>(
  option: string,
  words: Words,
  given: string,
): Words[number] {
  const found = words.find((one) => one === given)
  if (found === undefined) throw wrongUsage(`${option} is one of ${words.join(', ')}.`)
  return found
}

/** @throws {Failure} there is no such save */
async function foundSave(
  farm: Pick<Farm, 'saves'>,
  name: string,
): Promise<{ readonly save: Save; readonly active: Save | undefined }> {
  const { saves: all } = await farm.saves()
  const save = all.find((one) => one.name === name)
  if (save === undefined)
    throw new Failure(exitCodes.notFound, `There is no save ${name}.`, 'farmgate saves lists them.')
  return { save, active: all.find((one) => one.active) }
}

const marksOf = ({ name, active }: Save, next: NextSave): string =>
  [active ? 'active' : '', next.save === name ? 'next' : ''].filter((mark) => mark !== '').join(', ')

/** That the game does not play the expected farm. */
function alarmOf(unexpected: UnexpectedFarm | undefined): string | undefined {
  if (unexpected === undefined || unexpected.kind === 'pointer') return undefined
  const [found, expected] = [markText(unexpected.found), markText(unexpected.expected)]
  return `The game plays ${found}, not ${expected}. Load the farm again: farmgate saves load <name>. If it is right: farmgate saves expect <name>`
}

const markText = ({ name, season, day, year }: UnexpectedFarm['found']): string =>
  season === undefined || day === undefined || year === undefined
    ? name
    : `${name} (${gameDay({ season, day, year })})`

/** What the next start of the game would do, where that is not what one expects. */
function warningOf({ state, name, save }: NextSave, hasSaves: boolean): string | undefined {
  if (state === 'repairable')
    return `The game's pointer names ${name}, which is not there. farmgate repairs it to ${save} before it starts the game.`
  const isNew = state === 'missing' || (state === 'none' && hasSaves)
  if (!isNew) return undefined
  const why =
    state === 'missing'
      ? `the game's pointer names ${name}, which is not there`
      : "the game's pointer names no save"
  return `The next start of the game creates a new farm: ${why}. Load a save: farmgate saves load <name>`
}

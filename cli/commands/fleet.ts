/** `fleet`: the farms of an edge, with its FLEET_KEY. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { byTrouble, connectFleet, type Fleet } from '../../client/fleet.ts'
import type {
  FarmOutcome,
  FleetAction,
  FleetActionRequest,
  FleetActionSummary,
  FleetEntry,
} from '../../client/index.ts'
import { fetchAsCommand } from '../connection/agent.ts'
import { where } from '../connection/where.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import type { Context } from '../terminal/context.ts'
import { type AddCommand, commonOptions, show, showRows, withCalls, withExamples } from './add-command.ts'
import { addStopOptions, type StopOptions, wishOf } from './game-process.ts'

/** Milliseconds between two looks at an action. */
const pollEvery = 500
interface WithTags {
  readonly tag?: readonly string[]
  readonly tags?: readonly string[]
}
interface WhichFarms {
  readonly farms?: string
  readonly atOnce?: string
  readonly stopAfter?: string
}

export const fleet: AddCommand = (program, context) => {
  const command = program
    .command('fleet')
    .description(
      'the farms of an edge, worst first: list, add, delete, tag, note, open, announce, restart, backup',
    )
  addTags(command, 'only farms with any of these tags')
  withExamples(
    command,
    'fleet --tag eu',
    "fleet announce 'New mods tonight' --tags eu",
    'fleet restart --farms clover,daisy --when empty',
  )
  withCalls(command, 'GET /farms').action(async (which: WithTags) => {
    const all = (await fleetOf(command, context).farms()).farms
    const wanted = tagsOf(which)?.map((one) => one.normalize('NFC'))
    const farms = byTrouble(
      all.filter(({ tags }) => wanted === undefined || wanted.some((one) => tags.includes(one))),
    )
    showRows(command, context, { farms }, () => ({
      header: ['Farm', 'Trouble', 'Players', 'Backup', 'Token', 'Release', 'Tags', 'Note'],
      rows: farms.map(rowOf),
      ifNone: 'No farms.',
    }))
  })

  const add = command
    .command('add <farm>')
    .description("add a farm, and show its keys once, with the lines for the farm's .env")
  withExamples(add, 'fleet add clover')
  withCalls(add, 'PUT /farms/{farm}').action(async (farm: string) => {
    const { url } = where(commonOptions(add), context.env)
    const made = await fleetOf(add, context).createFarm({ farm })
    if (made.created === false)
      throw new Failure(
        exitCodes.refused,
        `There is a farm ${farm} already; nothing was changed.`,
        'Choose another name, or replace its keys: PUT /farms/<farm>?rotate=all.',
      )
    show(add, context, made, () => [
      `API_KEY of ${farm} at the edge, for its clients: ${made.apiKey ?? ''}`,
      "For the .env of the farm's machine:",
      `EDGE_URL=${url}/farms/${encodeURIComponent(farm)}`,
      `EDGE_LINK_KEY=${made.linkKey ?? ''}`,
    ])
  })
  const remove = command
    .command('delete <farm>')
    .description('delete a farm, with everything that the edge stores of it; asks for its name first')
    .option('-y, --yes', 'do not ask for the name')
  withExamples(remove, 'fleet delete clover')
  withCalls(remove, 'DELETE /farms/{farm}').action(async (farm: string, { yes }: { yes?: true }) => {
    const warning = `This deletes ${farm}, its keys and its stored chat at the edge, and closes its link.`
    await confirm(context, warning, farm, yes)
    const record = await fleetOf(remove, context).deleteFarm({ farm })
    show(remove, context, record, () => [`${farm} is deleted`])
  })

  const tag = command.command('tag <farm> [tags...]').description('set the tags of a farm; none removes them')
  withExamples(tag, 'fleet tag clover eu paid', 'fleet tag clover')
  withCalls(tag, 'PATCH /farms/{farm}').action(async (farm: string, tags: readonly string[]) => {
    const entry = await fleetOf(tag, context).noteFarm({ farm, tags: tags.flatMap(listOf) })
    show(tag, context, entry, () => [`${farm} ${entry.tags.join(', ')}`])
  })
  const note = command.command('note <farm> [text]').description('set the note of a farm; none removes it')
  withExamples(note, "fleet note clover 'Moves in May'")
  withCalls(note, 'PATCH /farms/{farm}').action(async (farm: string, text = '') => {
    const entry = await fleetOf(note, context).noteFarm({ farm, note: text })
    show(note, context, entry, () => [`${farm} ${entry.note ?? ''}`])
  })
  const open = command
    .command('open <farm>')
    .description("print a link that opens a farm's dashboard, with a key for one hour")
  withExamples(open, 'fleet open clover')
  withCalls(open, 'POST /farms/{farm}/dashboard-link').action(async (farm: string) => {
    const link = await fleetOf(open, context).dashboardLink({ farm })
    show(open, context, link, () => [link.url])
  })

  const actions = command.command('actions').description('the actions at many farms of the last week')
  withExamples(actions, 'fleet actions')
  withCalls(actions, 'GET /farms/actions').action(async () => {
    const all = await fleetOf(actions, context).actions()
    showRows(actions, context, all, () => ({
      header: ['Id', 'When', 'Action', 'Farms', 'Succeeded', 'Failed', 'Skipped', 'State'],
      rows: all.actions.map(actionRowOf),
      ifNone: 'No actions.',
    }))
  })
  const outcomes = command
    .command('outcomes <id>')
    .description('the outcome of an action at each farm; waits for its end')
  withExamples(outcomes, 'fleet outcomes 6f1c2a9b03de')
  withCalls(outcomes, 'GET /farms/actions').action((id: string) =>
    showOutcomes(outcomes, context, fleetOf(outcomes, context), id),
  )
  const announce = command.command('announce <message>').description('say a line to all players of farms')
  withExamples(addWhich(announce), "fleet announce 'New mods tonight' --tags eu").action(
    (message: string, which: WhichFarms) =>
      act(announce, context, which, { action: 'announce', arguments: { message } }),
  )
  const restart = command
    .command('restart')
    .description('restart the game at farms, and wait for each restart to end')
  addStopOptions(restart)
  withExamples(addWhich(restart), 'fleet restart --tags eu --when empty --stop-after 3').action(
    ({ reason, ...which }: WhichFarms & StopOptions & { readonly reason?: string }) => {
      const wish = { ...wishOf(which), ...(reason !== undefined && { reason }) }
      return act(restart, context, which, { action: 'restart', arguments: wish })
    },
  )
  restart.option('--reason <text>', 'why, shown by farmgate operations')
  const backup = command.command('backup').description('make a backup at farms')
  withExamples(addWhich(backup), 'fleet backup --farms clover,daisy').action((which: WhichFarms) =>
    act(backup, context, which, { action: 'backup' }),
  )
}

/** `--tag` and `--tags` are the same; several tags are several words, or have commas between them. */
const addTags = (command: Command, what: string): Command =>
  command.option('--tag <tags...>', what).option('--tags <tags...>', 'the same')

const tagsOf = ({ tag, tags }: WithTags): string[] | undefined =>
  tag === undefined && tags === undefined ? undefined : [...(tag ?? []), ...(tags ?? [])].flatMap(listOf)

/** Of a command that begins an action. */
const addWhich = (command: Command): Command =>
  addTags(
    withCalls(command, 'POST /farms/actions', 'GET /farms/actions'),
    'farms with any of these tags, such as eu paid',
  )
    .option('--farms <names>', 'the farms, such as clover,daisy')
    .option('--at-once <farms>', 'how many farms at a time', '5')
    .option('--stop-after <failures>', 'skip the rest after so many failures')

const listOf = (text: string): string[] =>
  text
    .split(/[,，、]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')

const numberOf = (text: string, option: string): number => {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) throw wrongUsage(`${option} is a whole number above 0.`)
  return Number(text)
}

function fleetOf(command: Command, { env, interrupted }: Context): Fleet {
  const { url, key } = where(commonOptions(command), env)
  return connectFleet({ url, key, signal: interrupted(), fetch: fetchAsCommand })
}

/** Begins an action, shows each outcome as it comes, and fails unless all have succeeded. */
async function act(
  command: Command,
  context: Context,
  { farms, atOnce = '5', stopAfter }: WhichFarms,
  what: Pick<FleetActionRequest, 'action' | 'arguments'>,
): Promise<void> {
  // Those of a subcommand are read by `fleet`, which has options of the same names.
  const tags = tagsOf(command.optsWithGlobals<WithTags>())
  if (farms === undefined && tags === undefined) throw wrongUsage('Name the farms: --farms or --tags.')
  const client = fleetOf(command, context)
  const { id } = await client.beginAction({
    ...what,
    farms: farms === undefined ? undefined : listOf(farms),
    tags,
    atOnce: numberOf(atOnce, '--at-once'),
    ...(stopAfter !== undefined && { stopAfterFailures: numberOf(stopAfter, '--stop-after') }),
  })
  await showOutcomes(command, context, client, id)
}

async function showOutcomes(command: Command, context: Context, client: Fleet, id: string): Promise<void> {
  const { outcomes } = await ended(client, id, context)
  const done = outcomes.filter(({ outcome }) => outcome === 'succeeded').length
  show(command, context, { id, outcomes }, () => [`${done} of ${outcomes.length} farms`])
  if (done < outcomes.length)
    throw new Failure(exitCodes.failed, `${outcomes.length - done} of ${outcomes.length} farms failed.`)
}

async function ended(client: Fleet, id: string, { notes, interrupted }: Context): Promise<FleetAction> {
  const seen = new Set<string>()
  for (;;) {
    const action = await client.action({ id })
    for (const one of action.outcomes.filter(({ farm }) => !seen.has(farm))) notes.line(outcomeText(one))
    for (const { farm } of action.outcomes) seen.add(farm)
    if (action.state === 'ended') return action
    await pause(pollEvery, undefined, { signal: interrupted() })
  }
}

const outcomeText = ({ farm, outcome, detail }: FarmOutcome) =>
  `${farm}: ${outcome}${detail === undefined ? '' : ` (${detail})`}`

const actionRowOf = (one: FleetActionSummary): readonly string[] => [
  one.id,
  one.at,
  one.action,
  ...[one.farms, one.succeeded, one.failed, one.skipped].map(String),
  one.state,
]

const rowOf = (one: FleetEntry): readonly string[] => [
  one.farm,
  one.trouble.join(', '),
  one.players === undefined ? '' : `${one.players}/${one.maxPlayers ?? '?'}`,
  one.backupAgeHours === undefined ? '' : `${one.backupAgeHours} h`,
  one.tokenDays === undefined ? '' : `${one.tokenDays} d`,
  one.farmgateVersion ?? '',
  one.tags.join(', '),
  one.note ?? '',
]

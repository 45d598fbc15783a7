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
import type { Context } from '../terminal/context.ts'
import { type AddCommand, commonOptions, show, showRows, withExamples } from './add-command.ts'
import { addStopOptions, type StopOptions, wishOf } from './game-process.ts'

/** Milliseconds between two looks at an action. */
const pollEvery = 500
interface WhichFarms {
  readonly farms?: string
  readonly tags?: string
  readonly atOnce?: string
  readonly stopAfter?: string
}

export const fleet: AddCommand = (program, context) => {
  const command = program
    .command('fleet')
    .description('the farms of an edge, worst first: list, tag, note, open, announce, restart, backup')
    .option('--tag <tag>', 'only farms with this tag')
  withExamples(
    command,
    'fleet --tag eu',
    "fleet announce 'New mods tonight' --tags eu",
    'fleet restart --farms clover,daisy --when empty',
  ).action(async ({ tag }: { tag?: string }) => {
    const all = (await fleetOf(command, context).farms()).farms
    const farms = byTrouble(
      all.filter(({ tags }) => tag === undefined || tags.includes(tag.normalize('NFC').trim())),
    )
    showRows(command, context, { farms }, () => ({
      header: ['Farm', 'Trouble', 'Players', 'Backup', 'Token', 'Release', 'Tags', 'Note'],
      rows: farms.map(rowOf),
      ifNone: 'No farms.',
    }))
  })

  const tag = command.command('tag <farm> [tags]').description('set the tags of a farm; none removes them')
  withExamples(tag, 'fleet tag clover eu,paid', 'fleet tag clover').action(
    async (farm: string, tags?: string) => {
      const entry = await fleetOf(tag, context).noteFarm({ farm, tags: listOf(tags) ?? [] })
      show(tag, context, entry, () => [`${farm} ${entry.tags.join(', ')}`])
    },
  )
  const note = command.command('note <farm> [text]').description('set the note of a farm; none removes it')
  withExamples(note, "fleet note clover 'Moves in May'").action(async (farm: string, text = '') => {
    const entry = await fleetOf(note, context).noteFarm({ farm, note: text })
    show(note, context, entry, () => [`${farm} ${entry.note ?? ''}`])
  })
  const open = command
    .command('open <farm>')
    .description("print a link that opens a farm's dashboard, with a key for one hour")
  withExamples(open, 'fleet open clover').action(async (farm: string) => {
    const link = await fleetOf(open, context).dashboardLink({ farm })
    show(open, context, link, () => [link.url])
  })

  const actions = command.command('actions').description('the actions at many farms of the last week')
  withExamples(actions, 'fleet actions').action(async () => {
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
  withExamples(outcomes, 'fleet outcomes 6f1c2a9b03de').action((id: string) =>
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

const addWhich = (command: Command): Command =>
  command
    .option('--farms <names>', 'the farms, such as clover,daisy')
    .option('--tags <tags>', 'farms with any of these tags, such as eu,paid')
    .option('--at-once <farms>', 'how many farms at a time', '5')
    .option('--stop-after <failures>', 'skip the rest after so many failures')

const listOf = (text: string | undefined): string[] | undefined =>
  text
    ?.split(/[,，、]/)
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
  { farms, tags, atOnce = '5', stopAfter }: WhichFarms,
  what: Pick<FleetActionRequest, 'action' | 'arguments'>,
): Promise<void> {
  if (farms === undefined && tags === undefined) throw wrongUsage('Name the farms: --farms or --tags.')
  const client = fleetOf(command, context)
  const { id } = await client.beginAction({
    ...what,
    farms: listOf(farms),
    tags: listOf(tags),
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

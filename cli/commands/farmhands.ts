import type { Command } from 'commander'
import type { Farm, Farmhand } from '../../client/index.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { confirm } from '../terminal/confirm.ts'
import { type AddCommand, runs, showMessage, showRows, withExamples } from './add-command.ts'
import { personOf } from './person.ts'

interface Sure {
  readonly yes?: true
}
const yes = ['-y, --yes', 'do not ask for the name'] as const

export const farmhands: AddCommand = (program, context) => {
  const command = program
    .command('farmhands')
    .description('every farmhand slot; delete one, or give it to another account')
  withExamples(command, 'farmhands', 'farmhands delete Robin', 'farmhands rebind Robin 76561198000000001')
  runs(command, context, ['farmhands'], async ({ farm }) => {
    const record = await farm.farmhands()
    showRows(command, context, record, () => {
      const rows = record.farmhands.map(({ id, name, isCustomized, claimedVia }) => [
        name || '(free)',
        String(id),
        isCustomized ? 'yes' : 'no',
        claimedVia ?? '',
      ])
      return { header: ['Name', 'Id', 'Claimed', 'Claimed by'], rows, ifNone: 'No farmhands yet.' }
    })
  })

  const remove = command
    .command('delete <name-or-id>')
    .description('delete an offline farmhand and free its cabin')
  withExamples(remove.option(...yes), 'farmhands delete Robin', 'farmhands delete 5046891235124875 --yes')
  runs(remove, context, ['farmhands', 'deleteFarmhand'], async ({ farm }, given: string, { yes }: Sure) => {
    const { id, name } = await found(farm, given)
    await confirm(
      context,
      `This deletes the farmhand ${nameOf(name)} with everything it owns.`,
      nameOf(name),
      yes,
    )
    showMessage(remove, context, await farm.deleteFarmhand({ playerId: id }))
  })

  const rebind = command
    .command('rebind <name-or-id> <identity>')
    .description(
      'give a farmhand to the account of another join path (its decimal id is in the log of the join)',
    )
  withExamples(rebind.option(...yes), 'farmhands rebind Robin 76561198000000001')
  runs(
    rebind,
    context,
    ['farmhands', 'rebindFarmhand'],
    async ({ farm }, given: string, identity: string, { yes }: Sure, self: Command) => {
      const { id, name } = await found(farm, given)
      const warning = `This takes the farmhand ${nameOf(name)} from its account and gives it to ${identity}.`
      await confirm(context, warning, nameOf(name), yes)
      showMessage(self, context, await farm.rebindFarmhand({ playerId: id, identity }))
    },
  )
}

const nameOf = (name: string) => name || 'free'

/** @throws {Failure} no farmhand has this name or id, or several have the name */
async function found(farm: Pick<Farm, 'farmhands'>, given: string): Promise<Farmhand> {
  const { farmhands } = await farm.farmhands()
  const { name, playerId } = personOf(given)
  const byId = farmhands.find(({ id }) => id === playerId)
  if (byId !== undefined) return byId
  const wanted = (name ?? given).toLowerCase()
  const [one, another] = farmhands.filter((farmhand) => farmhand.name.toLowerCase() === wanted)
  const remedy = 'farmgate farmhands lists names and ids.'
  if (one === undefined) throw new Failure(exitCodes.notFound, `There is no farmhand ${given}.`, remedy)
  if (another !== undefined)
    throw new Failure(exitCodes.refused, `Several farmhands are named ${given}: give the id.`, remedy)
  return one
}

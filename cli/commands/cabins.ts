import type { Cabins } from '../../client/index.ts'
import { table } from '../terminal/table.ts'
import { wrapped } from '../terminal/wrap.ts'
import { type AddCommand, runs, show, withExamples } from './add-command.ts'

export const cabins: AddCommand = (program, context) => {
  const command = program.command('cabins').description('the cabins of the farm and who owns them')
  withExamples(command, 'cabins', 'cabins --json')
  runs(command, context, ['cabins'], async ({ farm }) => {
    const record = await farm.cabins()
    show(command, context, record, () => {
      const rows = record.cabins.map(({ ownerName, type, tileX, tileY, isHidden, isAssigned }) => [
        isAssigned ? ownerName || '(not yet named)' : '(free)',
        type,
        `${tileX}, ${tileY}`,
        isHidden ? 'yes' : 'no',
      ])
      return [
        ...wrapped(
          `${record.assignedCount} of ${record.totalCount} cabins have an owner (${record.strategy})`,
          context.out.columns(),
          0,
        ),
        ...migrationLines(record.migration),
        ...(record.stackSpot === undefined ? [] : [spotLine(record.stackSpot)]),
        ...(rows.length === 0 ? [] : table(['Owner', 'Type', 'Tile', 'Hidden'], rows, context.out.columns())),
      ]
    })
  })
}

const migrationLines = (migration: Cabins['migration']): string[] => {
  if (migration === undefined) return []
  const { fromStrategy, toStrategy, placedCount, remainingCount } = migration
  const left =
    remainingCount === 0
      ? 'commit it in the console: cabins migrate commit'
      : `${remainingCount} to place before it can be committed`
  return [`Migrating from ${fromStrategy} to ${toStrategy}: ${placedCount} placed, ${left}`]
}

const spotLine = ({
  tileX,
  tileY,
  isObstructed,
  obstructionChecked,
}: NonNullable<Cabins['stackSpot']>): string =>
  `Players see their cabins at ${tileX}, ${tileY}${obstructionChecked && isObstructed ? ', which is blocked' : ''}`

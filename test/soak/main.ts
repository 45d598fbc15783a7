/** `npm run soak`: all phases for about ten minutes; `-- --minutes N`, `--hours N`, `--phase name`, `--json` (docs/testing.md). */
import { parseArgs } from 'node:util'
import { printTable, type Row } from '../../bench/measure.ts'
import { clockPhase } from './phases/clock.ts'
import { crowdPhase } from './phases/crowd.ts'
import { dashboardPhases } from './phases/dashboard.ts'
import { deliveriesPhase } from './phases/deliveries.ts'
import { edgePhases } from './phases/edge.ts'
import { floodPhases } from './phases/floods.ts'
import { fuzzPhase } from './phases/fuzz.ts'
import { gamePhase } from './phases/game.ts'
import { hostPhase } from './phases/host.ts'
import { hostileGamePhase } from './phases/hostile-game.ts'
import { killPhase } from './phases/kill.ts'
import { nightsPhase } from './phases/nights.ts'
import { ownEdgePhase } from './phases/own-edge.ts'
import { stopPhase } from './phases/stop.ts'

const phases = [
  crowdPhase,
  gamePhase,
  ...edgePhases,
  ownEdgePhase,
  clockPhase,
  stopPhase,
  deliveriesPhase,
  ...floodPhases,
  fuzzPhase,
  killPhase,
  nightsPhase,
  hostileGamePhase,
  hostPhase,
  ...dashboardPhases,
]

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    hours: { type: 'string' },
    phase: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})
const minutes = values.hours === undefined ? Number(values.minutes) : Number(values.hours) * 60
const chosen = phases.filter(({ name }) => name.startsWith(values.phase))
if (!(minutes > 0) || chosen.length === 0) {
  console.error(
    `--minutes and --hours take a number above 0, --phase one of ${phases.map(({ name }) => name).join(', ')}`,
  )
  process.exit(2)
}
const shares = phases.reduce((sum, { share }) => sum + share, 0)
const report: { readonly phase: string; readonly rows: readonly Row[] }[] = []
for (const { name, title, share, run } of chosen) {
  const rows = await run(Math.max(5, (minutes * 60 * share) / shares)).catch(
    (error: unknown): readonly Row[] => [
      { what: 'the phase could not be carried out', measured: String(error), bound: '–', holds: false },
    ],
  )
  report.push({ phase: name, rows })
  if (!values.json) printTable(title, rows)
  if (rows.some(({ holds }) => holds === false)) process.exitCode = 1
}
if (values.json) console.log(JSON.stringify(report, undefined, 2))
process.exit()

/**
 * `npm run simulate`: `-- --seeds N` runs the seeds 1 to N, `-- --seed S` replays one with the log of each actor. The
 * exit code is 0, 1 when a promise was broken, or 2 for wrong usage.
 */
import { registerHooks } from 'node:module'
import { parseArgs } from 'node:util'
import { installPlatform, type ObjectClass } from './durable-object.ts'
import { planOf, type Step } from './plan.ts'
import { shortest } from './shortest.ts'
import type { Trace } from './simulate.ts'
import { installTime } from './virtual-time.ts'

function seedsOf(
  args: readonly string[],
): { readonly seeds: readonly number[]; readonly isTold: boolean } | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { seeds: { type: 'string' }, seed: { type: 'string' } },
    })
    const given = [values.seeds, values.seed].filter((one) => one !== undefined)
    const [text = ''] = given
    if (given.length !== 1 || !/^[1-9][0-9]{0,8}$/.test(text)) return undefined
    if (values.seed !== undefined) return { seeds: [Number(text)], isTold: true }
    return { seeds: Array.from({ length: Number(text) }, (_, at) => at + 1), isTold: false }
  } catch {
    return undefined
  }
}

const print = (text: string) => process.stdout.write(`${text}\n`)
const printed: Trace = (elapsed, actor, text) => print(`${elapsed} ${actor} ${text}`)

const asked = seedsOf(process.argv.slice(2))
if (asked === undefined) {
  process.stderr.write('usage: npm run simulate -- --seeds <number> | --seed <seed>\n')
  process.exit(2)
}
const onTime = installTime()
installPlatform()
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers'
      ? { url: new URL('durable-object.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})
// Both are loaded with the virtual time; the types of the object need those of the platform.
const { simulate } = await import('./simulate.ts')
const object = new URL('../../runtime/edge/farm-object.ts', import.meta.url).href
const { FarmObject: farmObject } = (await import(object)) as { readonly FarmObject: ObjectClass }

let failed = 0
for (const seed of asked.seeds) {
  const run = (steps: readonly Step[], trace?: Trace) => simulate({ seed, steps, farmObject, trace, onTime })
  const plan = planOf(seed)
  const broken = await run(plan, asked.isTold ? printed : undefined)
  if (broken === undefined) continue
  failed += 1
  print(`seed ${seed}`)
  print(broken)
  const { steps, broken: same } = await shortest(plan, broken, (some) => run(some))
  print(`shortest history found, ${steps.length} of ${plan.length} steps: ${same}`)
  for (const { at, action } of steps) print(`  ${at} ${Object.values(action).join(' ')}`)
}
print(`${asked.seeds.length} seeds, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)

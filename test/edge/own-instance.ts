/**
 * An instance of `npm run edge:serve` with a bundle of the tests: `node own-instance.ts <bundle> <time divisor> <peers>`,
 * the last where the other instances reach it through a stand-in of the network.
 */
import { readFileSync } from 'node:fs'
import { problemLines } from '../../lib/environment.ts'
import { readOwnEdge } from '../../own-edge/config.ts'
import { runInstance } from '../../own-edge/instance.ts'

const [bundle = '', divisor, peers] = process.argv.slice(2)
const reading = readOwnEdge(process.env, (path) => readFileSync(path, 'utf8'))
if ('problems' in reading) throw new Error(problemLines(reading.problems))
await runInstance(reading.config, bundle, { timeDivisor: Number(divisor), peers })

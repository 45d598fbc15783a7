/** farmgate in this process, opened as `npm run serve` opens it: for tests that neither signal nor kill it. */
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { readConfig } from '../../../runtime/node/config.ts'
import { surroundings } from '../../../runtime/node/main.ts'
import { openFarm } from '../../../runtime/node/run.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { newFolder } from '../../new-folder.ts'

/** Opens a farm on a free port of loopback, which ends with the test. @param env its whole environment */
export async function openedFarm(env: Readonly<Record<string, string>>) {
  const own = {
    API_PORT: '0',
    API_HOST: '127.0.0.1',
    SIM_SEED: 'process',
    DATA_DIR: join(newFolder(), 'data'),
  }
  const reading = readConfig(surroundings({ ...own, ...env }))
  if ('problems' in reading) return expect.unreachable(JSON.stringify(reading.problems))
  const lines: LogLine[] = []
  const { server, stop } = await openFarm(reading.config, { log: recorder(lines), connections: {} })
  let ending: Promise<void> | undefined
  const end = () => (ending ??= stop(0))
  onTestFinished(end)
  const { url } = server
  return {
    url,
    wsUrl: `${url.replace('http', 'ws')}/ws`,
    /** All log lines, oldest first. */
    log: lines as readonly LogLine[],
    /** Stops it in order, as a signal does. */
    stop: end,
  }
}

/** `npm run serve` as a separate process. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { type ServerProcess, startServer } from './server-process.ts'

/** The command of `npm run serve`, with its options of Node. */
const [, ...serve] = packageJson.scripts.serve.split(' ')

export interface Farmgate extends ServerProcess {
  readonly wsUrl: string
}

/**
 * Starts it on a free port of loopback.
 * @param preload a module that is loaded before everything else
 */
export async function startFarmgate(env: Readonly<Record<string, string>>, preload?: URL): Promise<Farmgate> {
  const server = await startServer({
    args: [...(preload === undefined ? [] : ['--import', preload.href]), ...serve],
    env: {
      DATA_DIR: mkdtempSync(join(tmpdir(), 'farmgate-soak-')),
      API_PORT: '0',
      API_HOST: '127.0.0.1',
      LOG_FORMAT: 'json',
      ...env,
    },
    log: 'stdout',
    listening: /"url":"http:[^"]+:(\d+)"/,
  })
  return { ...server, wsUrl: `${server.url.replace('http', 'ws')}/ws` }
}

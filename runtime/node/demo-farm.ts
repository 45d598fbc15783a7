import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { problemLines } from '../../lib/environment.ts'
import { exitCodes } from '../../lib/exit-codes.ts'
import { readCommandLine } from './command-line.ts'
import { readConfig } from './config.ts'
import { canType } from './demo-player.ts'
import { inOrder, start, surroundings } from './main.ts'

/**
 * Serves a simulated farm on loopback, with a new key; all other variables are read from the environment, as `serve`
 * does.
 * @param farmgate how the command line is called here, for what is printed to try
 */
export async function demo(args: readonly string[], farmgate = 'npm run -s farmgate --'): Promise<void> {
  const asked = readCommandLine('start', args)
  if (asked === undefined) return
  const apiKey = surroundings({}).newKey()
  const reading = readConfig(
    surroundings({
      LOG_LEVEL: 'warn',
      API_HOST: '127.0.0.1',
      ...process.env,
      GAME_BRIDGE: 'simulated',
      API_KEY: apiKey,
      API_KEY_FILE: undefined,
      GAME_API_KEY: undefined,
      GAME_API_KEY_FILE: undefined,
    }),
  )
  if ('problems' in reading) {
    process.stderr.write(problemLines(reading.problems))
    process.exitCode = exitCodes.wrongEnvironment
    return
  }
  if (asked === 'check-config') {
    process.stdout.write(inOrder)
    return
  }
  const { url } = await start({
    ...reading.config,
    ...(!process.env['DATA_DIR']?.trim() && { DATA_DIR: temporaryFolder() }),
    ...(!process.env['SAVES_DIR']?.trim() && { SAVES_DIR: temporaryFolder() }),
    isDemo: true,
  })
  process.stdout.write(`
  A simulated farm is open at ${url}
  Its key, for this run only:  ${apiKey}
  In a browser, signed in:     ${url}/#key=${apiKey}

  Say and hear a line of its chat, in another terminal:
    ${assign('FARMGATE_URL', url)}
    ${assign('FARMGATE_KEY', apiKey)}
    ${farmgate} chat
  Its players talk there by themselves; type a line and press Enter to say it in the game. Ctrl-C ends it. Also:
    ${farmgate} watch
    ${farmgate} --help
${canType() ? typed : ''}
  Without the command line:
    curl ${url}/status
    curl -H 'Authorization: Bearer ${apiKey}' ${url}/players
    curl -X POST -H 'Authorization: Bearer ${apiKey}' '${url}/time?value=1200'

  Reference page: ${url}/docs        Stop with Ctrl-C.

`)
}

const typed = `
  To speak as one of its players, for example to a bot: type a line here, such as hi bot, and press Enter.
`

/** @returns a new folder that is removed when the process ends */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Sets a variable in the shell that is usual here. */
const assign = (name: string, value: string) =>
  process.platform === 'win32' ? `$env:${name}='${value}'` : `export ${name}='${value}'`

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { defaultSettings } from '../../bridges/settings-file/farm-settings.ts'
import type { SimulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { childEnvironment } from '../../lib/child-environment.ts'
import { systemClock } from '../../lib/clock.ts'
import { problemLines } from '../../lib/environment.ts'
import { exitCodes } from '../../lib/exit-codes.ts'
import { harmful } from '../../lib/harmless-text.ts'
import { readCommandLine } from '../../runtime/node/command-line.ts'
import { backupFolder, type Config, readConfig } from '../../runtime/node/config.ts'
import { inOrder, start, surroundings } from '../../runtime/node/main.ts'
import { databaseFile } from '../../services/records/database.ts'
import { furnish, layMods } from './furnish.ts'
import { demoHost } from './host.ts'
import { makePast } from './past.ts'

/** Whether lines can be typed here. The system stops a background process that reads from its terminal. */
function canType(): boolean {
  if (!process.stdin.isTTY || process.platform === 'win32') return true
  const { stdout } = spawnSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], {
    encoding: 'utf8',
    env: childEnvironment(process.env),
  })
  const [group, inFront] = String(stdout).trim().split(/\s+/)
  return group !== '' && group === inFront
}

/**
 * Says each line of standard input as a player who is online, and prints whose line it was. Also prints what bots and
 * other clients of the API say in the game.
 */
function talkInTerminal({ players, controls }: SimulatedFarm): void {
  controls.onRelayed(({ author, message }) => {
    process.stdout.write(`${`(Web) ${author}: ${message}`.replaceAll(harmful, '')}\n`)
  })
  if (!canType()) return
  const lines = createInterface({ input: process.stdin, terminal: false })
  // A closed terminal ends the lines, but not the farm.
  process.stdin.on('error', () => lines.close())
  lines.on('line', async (line) => {
    if (line.trim() === '') return
    const online = (await players()).players
    const speaker = online.find(({ id }) => controls.say(id, line))
    process.stdout.write(
      speaker === undefined
        ? 'No player is on the farm now. Try again in a minute.\n'
        : `${speaker.name}: ${line}\n${line.startsWith('!') ? keptByGame : ''}`,
    )
  })
}

/**
 * Serves a simulated farm on loopback, with a new key; all other variables come from the environment, as for `serve`.
 * @param farmgate the command line's name here, for the printed examples
 */
export async function demo(args: readonly string[], farmgate = 'npm run -s farmgate --'): Promise<void> {
  const asked = readCommandLine('start', args)
  if (asked === undefined) return
  const apiKey = surroundings({}).newKey()
  const settings = process.env['SETTINGS_PATH']?.trim()
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
      ...(asked.what !== 'check-config' && !settings && { SETTINGS_PATH: settingsFile() }),
    }),
  )
  if ('problems' in reading) {
    process.stderr.write(problemLines(reading.problems))
    process.exitCode = exitCodes.wrongEnvironment
    return
  }
  if (asked.what === 'check-config') {
    process.stdout.write(inOrder)
    return
  }
  const isKept = Boolean(process.env['DATA_DIR']?.trim())
  let simulated: SimulatedFarm | undefined
  const config: Config = {
    ...reading.config,
    ...(!isKept && { DATA_DIR: temporaryFolder() }),
    ...(!process.env['SAVES_DIR']?.trim() && { SAVES_DIR: temporaryFolder() }),
    ...(!process.env['MODS_DIR']?.trim() && { MODS_DIR: modsFolder(), MODS_ACCESS: 'rw' as const }),
    WEBHOOK_PRIVATE_HOSTS: [...reading.config.WEBHOOK_PRIVATE_HOSTS, '127.0.0.1'],
    onSimulated(farm) {
      simulated = farm
      talkInTerminal(farm)
    },
    simulatedHost: demoHost(() => simulated ?? neverOpened(), systemClock),
  }
  const isFirst = await makePastOnce(config)
  const { url } = await start(config)
  process.stdout.write(`
  A simulated farm is open at ${url}
  Its key, for this run only:  ${apiKey}
  In a browser, signed in:     ${url}/#key=${apiKey}

  Say and hear a line of its chat, in another terminal:
    ${assign('FARMGATE_URL', url)}
    ${assign('FARMGATE_KEY', apiKey)}
    ${farmgate} chat
  Its players talk there on their own; type a line and press Enter to say it in the game. Ctrl-C ends it. Also:
    ${farmgate} watch
    ${farmgate} --help
${canType() ? typed : ''}
  Without the command line:
    curl ${url}/status
    curl -H 'Authorization: Bearer ${apiKey}' ${url}/players
    curl -X POST -H 'Authorization: Bearer ${apiKey}' '${url}/time?value=1200'

  Reference page: ${url}/docs        Stop with Ctrl-C.

`)
  if (isFirst) await furnish({ url, key: apiKey }, isKept).catch(incomplete)
}

function neverOpened(): never {
  throw new Error('the simulated farm is opened first')
}

const keptByGame = `The game server keeps lines that begin with "!": bots do not get this one.\n`

const typed = `
  To speak as one of its players, for example to a bot: type a line here, such as hi bot, and press Enter.
`
/**
 * The first start of a demo creates its past, before records and game open it; an unwritable one is omitted.
 * @returns whether this is the first
 */
async function makePastOnce(config: Config): Promise<boolean> {
  const { DATA_DIR: data, SAVES_DIR: saves } = config
  if (saves === undefined || existsSync(join(data, databaseFile))) return false
  const farm = { seed: config.SIM_SEED, settings: config.settings ?? defaultSettings }
  await makePast({ data, saves, backups: backupFolder(config) }, farm, Date.now()).catch(incomplete)
  return true
}

const incomplete = (error: unknown) =>
  void process.stderr.write(`the demo has no past, or a part of it: ${String(error)}\n`)

/** A mod that is turned off is moved next to it, so both are in one folder. */
function modsFolder(): string {
  const folder = join(temporaryFolder(), 'Mods')
  mkdirSync(folder)
  layMods(folder)
  return folder
}

/** A settings file as a game server has one, so that settings can be changed. @returns its path */
function settingsFile(): string {
  const path = join(temporaryFolder(), 'server-settings.json')
  const { game, server } = defaultSettings.shown
  writeFileSync(path, `${JSON.stringify({ Game: pascal(game), Server: pascal(server) }, null, 2)}\n`)
  return path
}

const pascal = (members: object) =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value]),
  )

/** @returns a new folder that is removed when the process ends */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Sets a variable in the usual shell of this system. */
const assign = (name: string, value: string) =>
  process.platform === 'win32' ? `$env:${name}='${value}'` : `export ${name}='${value}'`

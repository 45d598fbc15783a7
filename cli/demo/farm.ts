import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
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
import { withLeaving } from './leaving.ts'
import { beginPast } from './past.ts'
import { signInVariables, startStandIns } from './stand-ins.ts'

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
  const temporaryFolder = temporaryFolders()
  const isCheck = asked.what === 'check-config'
  const apiKey = surroundings({}).newKey()
  const settings = process.env['SETTINGS_PATH']?.trim()
  const port = await portOf(process.env['API_PORT'])
  const page = pageOf(process.env, port)
  const standIns = isCheck ? '' : await startStandIns(page)
  const reading = readConfig(
    surroundings({
      LOG_LEVEL: 'warn',
      API_HOST: '127.0.0.1',
      ...(!isCheck && signInVariables(standIns, page)),
      ...process.env,
      API_PORT: port,
      GAME_BRIDGE: 'simulated',
      API_KEY: apiKey,
      API_KEY_FILE: undefined,
      GAME_API_KEY: undefined,
      GAME_API_KEY_FILE: undefined,
      ...(!isCheck && !settings && { SETTINGS_PATH: settingsFile(temporaryFolder('settings')) }),
    }),
  )
  if ('problems' in reading) {
    process.stderr.write(problemLines(reading.problems))
    process.exitCode = exitCodes.wrongEnvironment
    return
  }
  if (isCheck) {
    process.stdout.write(inOrder)
    return
  }
  const isKept = Boolean(process.env['DATA_DIR']?.trim())
  let simulated: SimulatedFarm | undefined
  const farm = () => simulated ?? neverOpened()
  const saves = process.env['SAVES_DIR']?.trim() || temporaryFolder('saves')
  const hasMods = Boolean(process.env['MODS_DIR']?.trim())
  const mods = hasMods ? '' : temporaryFolder('Mods')
  if (!hasMods) layMods(mods)
  const past = Promise.withResolvers<void>()
  const config: Config = {
    ...reading.config,
    ...(!isKept && { DATA_DIR: temporaryFolder('data') }),
    SAVES_DIR: saves,
    ...(!hasMods && { MODS_DIR: mods, MODS_ACCESS: 'rw' as const }),
    WEBHOOK_PRIVATE_HOSTS: [...reading.config.WEBHOOK_PRIVATE_HOSTS, '127.0.0.1'],
    demo: {
      opened(farm) {
        simulated = farm
        talkInTerminal(farm)
      },
      host: demoHost(farm, saves, systemClock),
      past: past.promise,
      portsOf: (ports) => withLeaving(ports, farm, systemClock),
    },
  }
  const scratch = temporaryFolder('scratch')
  const makePast = await beginPastOnce(config, { saves, scratch })
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
  await makePast?.().catch(incomplete)
  past.resolve()
  if (makePast !== undefined)
    await furnish({ url, key: apiKey }, isKept ? undefined : standIns).catch(incomplete)
}

function neverOpened(): never {
  throw new Error('the simulated farm is opened first')
}

const keptByGame = `The game server keeps lines that begin with "!": bots do not get this one.\n`

const typed = `
  To speak as one of its players, for example to a bot: type a line here, such as hi bot, and press Enter.
`
/**
 * The first start of a demo creates its past, of which an unwritable part is omitted.
 * @returns makes what the start does not wait for; undefined unless this is the first
 */
async function beginPastOnce(
  config: Config,
  folders: { readonly saves: string; readonly scratch: string },
): Promise<(() => Promise<void>) | undefined> {
  const { DATA_DIR: data } = config
  if (existsSync(join(data, databaseFile))) return undefined
  const farm = { seed: config.SIM_SEED, settings: config.settings ?? defaultSettings }
  const places = { ...folders, data, backups: backupFolder(config) }
  return beginPast(places, farm, Date.now()).catch((error: unknown) => async () => incomplete(error))
}

/** The port to listen on: sign-in needs it before the server has one, so that it is a free one for 0. */
async function portOf(given: string | undefined): Promise<string> {
  const port = given?.trim() || '8080'
  if (Number(port) !== 0) return port
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const found = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof found === 'object' ? String(found?.port) : port
}

/** The address of the page on this machine. */
function pageOf({ API_HOST: host, API_BASE_PATH: path }: NodeJS.ProcessEnv, port: string): string {
  const isUsual = !host?.trim() || host.trim() === '127.0.0.1'
  return `http://${isUsual ? '127.0.0.1' : 'localhost'}:${port}${path?.trim() ?? ''}`
}

const incomplete = (error: unknown) =>
  void process.stderr.write(`the demo has no past, or a part of it: ${String(error)}\n`)

/** Writes a settings file as a game server has one, so that settings can be changed. @returns its path */
function settingsFile(folder: string): string {
  const path = join(folder, 'server-settings.json')
  const { game, server } = defaultSettings.shown
  writeFileSync(path, `${JSON.stringify({ Game: pascal(game), Server: pascal(server) }, null, 2)}\n`)
  return path
}

const pascal = (members: object) =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value]),
  )

/** @returns makes folders by their names in a new one, which is removed when the process ends */
function temporaryFolders(): (name: string) => string {
  let all: string | undefined
  return (name) => {
    if (all === undefined) {
      const made = mkdtempSync(join(tmpdir(), 'farmgate-'))
      // A thread may write until the end.
      process.on('exit', () => rmSync(made, { recursive: true, force: true, maxRetries: 5 }))
      all = made
    }
    const folder = join(all, name)
    mkdirSync(folder)
    return folder
  }
}

/** Sets a variable in the usual shell of this system. */
const assign = (name: string, value: string) =>
  process.platform === 'win32' ? `$env:${name}='${value}'` : `export ${name}='${value}'`

/** Junk in every variable of the control API, the Worker and the ticket service. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type EnvironmentProblem, namesOf, type VariableTraits } from '../../lib/environment.ts'
import { exitCodes } from '../../lib/exit-codes.ts'
import { configOf } from '../../runtime/edge/config.ts'
import { variables as workerVariables } from '../../runtime/edge/variables.ts'
import { readConfig as readApiConfig } from '../../runtime/node/config.ts'
import { variables as apiVariables } from '../../runtime/node/variables.ts'
import { readConfig as readTicketConfig, secretsOf } from '../../ticket/config.ts'
import { variables as ticketVariables } from '../../ticket/config-variables.ts'
import { newFolder } from '../new-folder.ts'
import { serve } from '../runtime/node/farmgate-process.ts'
import { runProcess } from '../ticket/process.ts'

/** Values that no variable expects. Each holds the canary if it can be a secret. */
const canary = 'canary'

const junk: readonly string[] = [
  canary,
  `${canary} with blanks`,
  `${canary}\nwith a second line`,
  `"${canary}"`,
  `$(${canary})`,
  `\${${canary}}`,
  `%${canary}%`,
  `https://user:${canary}@`,
  `http://user:${canary}@[::1`,
  `http://user:${canary}@host:99999`,
  `http://user:%zz${canary}@host:80`,
  `ftp://user:${canary}@host`,
  `//${canary}`,
  `javascript:${canary}`,
  `/${canary}/../x`,
  `../${canary}`,
  `${canary}\u00e9`,
  `\u{1f331}${canary}`,
  `\u202e${canary}`,
  `\ufeff${canary}`,
  `\ud800${canary}`,
  `\x1b[31m${canary}`,
  `\x7f${canary}`,
  `-${canary}`,
  `,,${canary},,{`,
  `{"${canary}":1}`,
  `[${canary}]`,
  canary.repeat(20_000),
  '__proto__',
  'constructor',
  'undefined',
  'null',
  'NaN',
  '-1',
  '1e3',
  '0x10',
  '99999999999999999999',
  '1.5.5',
  '*',
  '{}',
  '\\',
]
type Env = Readonly<Record<string, string>>

interface Process {
  /** The names that can set each variable. */
  readonly names: Readonly<Record<string, readonly string[]>>
  readonly traits: Readonly<Record<string, VariableTraits | undefined>>
  problemsOf(env: Env): readonly EnvironmentProblem[]
  /** Variables that accept any text, or whose form a text of the list can have. */
  readonly texts: readonly string[]
}

const readFile = (path: string) => readFileSync(path, 'utf8')

const processes = {
  'the control API': {
    names: namesOf(apiVariables),
    traits: apiVariables.traits,
    problemsOf(env: Env): readonly EnvironmentProblem[] {
      const reading = readApiConfig({ env, readFile, isTerminal: false, newKey: () => 'a new key' })
      return 'problems' in reading ? reading.problems : []
    },
    texts: [
      'API_HOST',
      'SIM_SEED',
      'DATA_DIR',
      'KEYS_DIR',
      'SAVES_DIR',
      'BACKUP_DIR',
      'MODS_DIR',
      'MODS_OFF_DIR',
      'BACKUP_S3_REGION',
      'BACKUP_S3_ACCESS_KEY_ID',
      'BACKUP_S3_SECRET_ACCESS_KEY',
      'BACKUP_PASSPHRASE',
      'WEBHOOK_PRIVATE_HOSTS',
      'DISCORD_API_URL',
      'GAME_API_URL',
      'PLATFORM_AUTH_URL',
      'GAME_API_KEY',
      'GAME_CONTAINER',
      'GAME_UNIT',
      'GAME_LOG',
      'PELICAN_URL',
      'PELICAN_KEY',
      'PELICAN_SERVER',
      'SIGN_IN_DISCORD_CLIENT_ID',
      'SIGN_IN_DISCORD_CLIENT_SECRET',
      'SIGN_IN_OIDC_CLIENT_ID',
      'SIGN_IN_OIDC_CLIENT_SECRET',
      'SIGN_IN_OIDC_NAME',
      'EDGE_LINK_KEY',
      'API_KEY',
    ],
  },
  'the Worker': {
    names: namesOf(workerVariables),
    traits: workerVariables.traits,
    problemsOf: (env: Env) => configOf(env).problems,
    texts: ['API_KEY', 'LINK_KEY', 'FLEET_KEY', 'FLEET_WEBHOOK_URL', 'DISCORD_API_URL'],
  },
  'the ticket service': {
    names: namesOf(ticketVariables),
    traits: ticketVariables.traits,
    problemsOf(env: Env): readonly EnvironmentProblem[] {
      const { config, problems } = readTicketConfig(env)
      // The log gets them, so that it hides them.
      if (config !== undefined) secretsOf(config)
      return problems ?? []
    },
    texts: [
      'PLATFORM_USERNAME',
      'PLATFORM_PASSWORD',
      'PLATFORM_REFRESH_TOKEN',
      'PLATFORM_KEEP_LANGUAGES',
      'PLATFORM_PROXY',
      'HOST',
      'TICKET_KEY',
      'KEYS_DIR',
      'SESSION_DIR',
      'GAME_DIR',
      'DOWNLOAD_EXCLUDE',
    ],
  },
} satisfies Readonly<Record<string, Process>>

describe.each(Object.entries<Process>(processes))(
  '%s',
  (_process, { names: all, traits, problemsOf, texts }) => {
    const names = Object.entries(all).flatMap(([variable, own]) => own.map((name) => ({ variable, name })))

    test.each(names)(
      'junk in $name is refused by its name or used, and reported without a secret',
      ({ variable, name }) => {
        for (const value of junk) {
          const problems = problemsOf({ [name]: value }).filter((problem) => problem.variable === name)
          const isUsed = problems.length === 0
          if (isUsed) expect([name, value, texts.includes(variable)]).toEqual([name, value, true])
          for (const { problem } of problems) expect(problem).toMatch(/\S/)
          if (traits[variable]?.secret && !name.endsWith('_FILE'))
            expect(JSON.stringify(problems)).not.toContain(canary)
          for (const { problem } of problems) expect(problem.length).toBeLessThan(400)
        }
      },
    )

    test('names close to those of variables are refused with the right name', () => {
      for (const { name } of names.filter(({ name }) => name.length > 6)) {
        const swapped = `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}`
        // A short name of one word with two mistakes might be the name of another program.
        const misspelt = name.length < 12 && !name.includes('_') ? swapped : `${swapped}x`
        expect(problemsOf({ [misspelt]: 'x' }).map((problem) => problem.variable)).toContain(misspelt)
      }
    })
  },
)

/** The values that the environment of a process can hold. */
const passable = junk.filter((value) => value.isWellFormed() && value.length < 100_000)
const rounds = Array.from({ length: 2 }, (_, round) => round)

/** An environment of junk, another in each variable; only secret variables hold the canary. */
function junkEverywhere({ names, traits }: Process, round: number): Env {
  return Object.fromEntries(
    Object.keys(names).map((name, at) => {
      const value = passable[(at * rounds.length + round) % passable.length] ?? canary
      return [name, traits[name]?.secret ? value : value.replaceAll(canary, 'visible')]
    }),
  )
}

describe('started with junk in every variable, a process exits with 78 and prints a line for each, without secrets:', () => {
  test.each(rounds)('the control API by --check-config, round %i', async (round) => {
    const SAVES_DIR = newFolder()
    // A name would be looked up by the resolver of this machine, and a folder on its disk.
    const env = { ...junkEverywhere(processes['the control API'], round), API_HOST: '127.0.0.1', SAVES_DIR }
    const farmgate = await serve(env, '--check-config')
    const { code } = await farmgate.exited
    expect([code, farmgate.stdout()]).toEqual([exitCodes.wrongEnvironment, ''])
    expectLines(farmgate.stderr(), processes['the control API'].problemsOf(env))
  })

  test.each(rounds)('the ticket service, round %i', async (round) => {
    const env = junkEverywhere(processes['the ticket service'], round)
    const { code, stdout, stderr } = await runProcess(['verify'], { PATH: process.env['PATH'] ?? '', ...env })
    expect([code, stdout]).toEqual([exitCodes.wrongEnvironment, ''])
    expectLines(stderr, processes['the ticket service'].problemsOf(env))
  })
})

function expectLines(reported: string, problems: readonly EnvironmentProblem[]): void {
  const named = reported
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(0, line.indexOf(':')))
  expect(named).toEqual(problems.map(({ variable }) => variable))
  expect(reported).not.toContain(canary)
}

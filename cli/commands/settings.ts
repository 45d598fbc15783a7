import type { SettingsChange, SettingsPatch } from '../../client/index.ts'
import { wrongUsage } from '../outcome/failure.ts'
import { list } from '../terminal/table.ts'
import { type AddCommand, runs, show, withExamples } from './add-command.ts'

export const settings: AddCommand = (program, context) => {
  const command = program
    .command('settings')
    .description('the settings of the farm and of its server: show them, or set some')
  withExamples(
    command,
    'settings',
    "settings --json | jq '.server.maxPlayers'",
    'settings set server.maxPlayers=8',
  )
  runs(command, context, ['settings'], async ({ farm }) => {
    const record = await farm.settings()
    show(command, context, record, () =>
      list(
        Object.entries(record).flatMap(([group, values]) =>
          Object.entries(values).map(([name, value]) => [`${group}.${name}`, String(value)] as const),
        ),
        context.out.columns(),
      ),
    )
  })

  const set = command
    .command('set <setting=value...>')
    .description('change server-settings.json; it says when each change takes effect')
  withExamples(
    set,
    'settings set server.maxPlayers=8',
    'settings set server.allowIpConnections=true game.petName=Apples',
    "settings set 'server.adminSteamIds=[]'",
  )
  runs(set, context, ['changeSettings'], async ({ farm }, given: string[]) => {
    const change = await farm.changeSettings(patchOf(given))
    show(set, context, change, () => linesOf(change))
  })
}

/** Values of these are texts, also where they look like a number. */
const texts = /^(game\.(farmName|petName|spawnMonstersAtNight)|server\.activeLobbyLayout)$/

/** The farm checks names and values; here they are only put in their places. */
function patchOf(given: readonly string[]): SettingsPatch {
  const patch: Record<string, Record<string, unknown>> = {}
  for (const one of given) {
    const [, section, name, text] = /^(\w+)\.(\w+)=(.*)$/su.exec(one) ?? []
    if (section === undefined || name === undefined || text === undefined)
      throw wrongUsage(`${one} is not a setting with its value.`, 'Write it as server.maxPlayers=8.')
    const members = Object.hasOwn(patch, section) ? patch[section] : undefined
    if (members !== undefined && Object.hasOwn(members, name))
      throw wrongUsage(`${section}.${name} is given twice.`)
    patch[section] = { ...members, [name]: texts.test(`${section}.${name}`) ? text : readValue(text) }
  }
  return patch
}

/** JSON where the value is valid JSON (`8`, `true`, `["a"]`), otherwise a text. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const effects = {
  now: 'the game has it already',
  reload: 'takes effect when the game reloads or restarts: farmgate api POST /reload',
  new_game: 'takes effect with the next new world',
} as const

const linesOf = ({ changed }: SettingsChange) =>
  changed.length === 0
    ? ['Nothing changed: the file has these values already.']
    : changed.map(({ setting, takesEffect }) => `${setting}: ${effects[takesEffect]}`)

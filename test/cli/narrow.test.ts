/** Widths in a narrow terminal. */
import { spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { beforeAll, expect, test } from 'vitest'
import { commandList } from '../../cli/command-list.ts'
import { connect } from '../../client/index.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { everyCommand } from './every-command.ts'
import { at, inTerminal, inTerminalInTurn, runInTurn } from './farmgate.ts'
import { answering, farmWith } from './faulty.ts'

const server = sharedServer(nodeServer)
const wide = `阿比盖尔住在鹈鹕镇的很长的名字 ${'and a name without end '.repeat(4)}`

beforeAll(async () => {
  await server().farm.join({ id: 901n, name: wide })
  await server().farm.say(901n, wide)
  const farm = connect(server())
  await farm.createKey({ name: wide.slice(0, 60), scopes: ['read', 'chat', 'control', 'admin'] })
  await farm.setTime({ value: 1200 })
})

const tables = [
  ['status'],
  ['players'],
  ['farmhands'],
  ['cabins'],
  ['settings'],
  ['keys'],
  ['audit'],
  ['history'],
  ['history', 'sessions'],
  ['history', 'samples'],
  ['history', 'days'],
  ['history', 'chat'],
  ['doctor'],
]

const backupId = `${'Y'.repeat(12)}-y10-spring-28-20261121T120000000Z`
const time = '2026-11-21T12:00:00.000Z'

/** Records that a newly started farm does not have yet. */
const remembering = () =>
  answering(
    farmWith(
      {},
      {
        '/backups': {
          body: {
            backups: [
              {
                ...{
                  id: backupId,
                  madeAt: time,
                  reason: 'before_restore',
                  season: 'spring',
                  day: 28,
                  year: 10,
                },
                ...{ bytes: 12_345_678, verifiedAt: time, offsite: 'pending' },
              },
            ],
            state: { saves: 'mounted' },
          },
        },
        '/webhooks': {
          body: {
            webhooks: [
              {
                ...{ id: '6f1c2a9b03de', name: wide, origin: 'https://discord.example', format: 'standard' },
                ...{ events: ['player.joined', 'backup.failed'], waiting: 5000 },
              },
            ],
          },
        },
        '/webhooks/deliveries': {
          body: {
            deliveries: [
              {
                ...{ id: '1795258800000000', madeAt: time, event: 'token.expiring', state: 'waiting' },
                ...{ tries: 7, error: 'too_many_waiting', nextTryAt: time },
              },
            ],
          },
        },
      },
    ),
  )
const remembered = [['backups'], ['webhooks'], ['webhooks', 'deliveries', 'x']]

const widest = (screen: string) => {
  const rows = stripVTControlCharacters(screen).split('\r\n')
  return rows.reduce((wider, row) => (stringWidth(row) > stringWidth(wider) ? row : wider))
}

test.each([[40], [20]])(
  'in a terminal of %d columns no row of any table, list or check is wider',
  async (columns) => {
    const shown = [
      ...(await inTerminalInTurn(tables, at(server()), columns)),
      ...(await inTerminalInTurn(remembered, { FARMGATE_URL: await remembering() }, columns)),
    ]
    for (const [index, { code, screen }] of shown.entries()) {
      const name = [...tables, ...remembered][index]?.join(' ')
      expect({ name, code }).toEqual({ name, code: 0 })
      expect(screen.trim()).not.toBe('')
      expect({ name, widest: stringWidth(widest(screen)) <= columns ? 'fits' : widest(screen) }).toEqual({
        name,
        widest: 'fits',
      })
    }
  },
)

test('in a terminal of 40 columns watch draws no wider row', async () => {
  const { screen, type, sees, exit } = inTerminal(['watch'], { ...at(server()), NO_COLOR: '1' }, 40)
  await sees('live')
  await sees('阿比盖尔')
  type('q')
  expect(await exit).toBe(0)
  // Only line breaks move the cursor to another row, and each picture starts at the first row.
  for (const row of screen()
    .split('\x1b[H')
    .flatMap((picture) => picture.split('\r\n'))
    .map(stripVTControlCharacters))
    expect(stringWidth(row)).toBeLessThanOrEqual(40)
})

test('in a terminal of 80 columns an id is whole, because other commands take it', async () => {
  const shown = await inTerminalInTurn(remembered, { FARMGATE_URL: await remembering() }, 80)
  const ids = [backupId, '6f1c2a9b03de', '1795258800000000']
  for (const [index, id] of ids.entries()) expect(shown[index]?.screen).toContain(`${id} `)
})

test('--help of every command fits a terminal of 40 columns and has examples', async () => {
  const commands = await everyCommand()
  expect(commands.length).toBeGreaterThan(commandList.length)
  const shown = await inTerminalInTurn(
    [[], ...commands].map((words) => [...words, '--help']),
    {},
    40,
  )
  for (const [index, { code, screen }] of shown.entries()) {
    const name = ['farmgate', ...(commands[index - 1] ?? [])].join(' ')
    expect({ name, code }).toEqual({ name, code: 0 })
    expect({ name, widest: stringWidth(widest(screen)) <= 40 ? 'fits' : widest(screen) }).toEqual({
      name,
      widest: 'fits',
    })
    expect(screen).toMatch(/\r\nExamples:\r\n {2}(\$ farmgate|# )/)
  }
})

test('an example that is wrapped in a narrow terminal is the same command when pasted into a shell', async () => {
  const [narrow] = await inTerminalInTurn([['keys', 'create', '--help']], {}, 40)
  const examples =
    narrow?.screen
      .split('Examples:\r\n')[1]
      ?.replaceAll('\r\n', '\n')
      .replaceAll(/^ {2}\$ /gm, '') ?? ''
  expect(examples).toContain('\\\n')
  const script = `farmgate() { printf '<%s>' "$@"; echo; }\n${examples}`
  expect(spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout).toBe(
    '<keys><create><Discord bot><--scope><chat>\n<keys><create><panel><--scope><read><control><--days><365>\n',
  )
})

test('text that is cut in a narrow terminal ends with …; in a pipe nothing is cut, and there are no colours', async () => {
  await eventually(async () => {
    const [narrow] = await inTerminalInTurn([['players']], { ...at(server()), NO_COLOR: '1' }, 40)
    expect(narrow?.screen).toMatch(/阿比.*…/)
  })
  const [piped] = await runInTurn([['players']], at(server()))
  expect(piped?.stdout).toContain(wide.trim())
  expect(piped?.stdout).not.toContain('\x1b')
})

test('a long check of the doctor is wrapped between words, with its fix on a separate line', async () => {
  const [shown] = await inTerminalInTurn(
    [['doctor']],
    { FARMGATE_URL: 'http://127.0.0.1:2', NO_COLOR: '1' },
    40,
  )
  expect(shown?.screen.replaceAll('\r\n', '\n')).toContain(`\
✘ farmgate: http://127.0.0.1:2 does not
  answer: ECONNREFUSED
  → Check the address, and start
    farmgate: npm run serve.
`)
})

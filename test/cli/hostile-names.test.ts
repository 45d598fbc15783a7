/** Hostile names and chat lines do nothing to the terminal. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { savingSteps } from '../../bridges/simulated/save-files.ts'
import { plain, rendered } from '../../cli/terminal/text.ts'
import { ownServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, inTerminalInTurn, newFolder, run, runInTurn, start } from './farmgate.ts'
import { answering, farmWith } from './faulty.ts'

/**
 * Clears the screen, sets a title, C1's own CSI, a bell, DEL, reversed text, isolates, line separators, a soft hyphen.
 */
const hostile = 'A\x1b[2J\x1b]0;owned\x07\x9b31m\x7f\u202egnp\u2066\u2069\u200f\u2028\u00ad\ud800\r\nB'
const forbidden = /(?!\r?\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u00ad]/u
const emoji = '👩‍🌾'.repeat(450)
const id = '5046891235124875213'
const player = { id: 5, idText: id, name: hostile, isOnline: true }
const crowd = { ...player, name: emoji }
const status = {
  ...{ playerCount: 1, maxPlayers: 8, serverVersion: hostile, gameVersion: hostile, isOnline: true },
  ...{ isReady: true, dayTransitionComplete: true, lastUpdated: hostile, farmName: hostile, day: 1 },
  ...{ season: hostile, year: 1, timeOfDay: 600, farmTypeKey: hostile, isPaused: false, version: 1 },
}
const cabin = {
  tileX: 1,
  tileY: 1,
  isHidden: false,
  type: hostile,
  ownerId: 5,
  ownerName: hostile,
  isAssigned: true,
}
const failure = { success: false, error: hostile, code: 'internal_error' }
const entry = (text: string) => ({
  ...{ id, at: text, requestId: text, key: { id: text, name: text }, address: text, action: text },
  ...{ parameters: { name: text }, origin: text, outcome: text },
})
/** Every member of a player, a session, a day and a line in the history. */
const past = (text: string) => ({
  ...{
    playerId: 5,
    name: text,
    firstSeen: text,
    lastSeen: text,
    minutesPlayed: 1,
    sessions: 1,
    joinedAt: text,
  },
  ...{ leftAt: text, ended: text, joinPath: text, season: text, beganAt: text, endedAt: text, seq: 1 },
  ...{ playerName: text, message: text, timestamp: text },
})
const backup = (text: string) => ({
  ...{ id: text, madeAt: text, reason: text, farmName: text, season: text, day: 1, year: 1, bytes: 1 },
  ...{ verifiedAt: text, offsite: text },
})
const webhook = (text: string) => ({
  ...{ id: text, name: text, origin: text, format: text, events: [text, text], waiting: 1 },
})
const delivery = (text: string) => ({
  ...{ id: text, event: text, madeAt: text, state: 'waiting', tries: 1, nextTryAt: text, error: text },
})
const hostileFarm = () =>
  answering(
    farmWith(
      {},
      {
        '/players': { body: { players: [player, crowd], version: 1 } },
        '/farmhands': {
          body: { farmhands: [{ ...player, isCustomized: true, claimedVia: hostile }], version: 1 },
        },
        '/status': { body: status },
        '/cabins': {
          body: {
            strategy: hostile,
            totalCount: 1,
            assignedCount: 1,
            availableCount: 0,
            cabins: [cabin],
            savedPositionPlayerIds: [],
          },
        },
        '/settings': (method) => ({
          body:
            method === 'GET'
              ? { game: { farmName: hostile }, server: { maxPlayers: hostile } }
              : { changed: [{ setting: hostile, takesEffect: 'now' }] },
        }),
        '/announce': { body: { message: hostile } },
        '/backups': (method) => ({
          body:
            method === 'GET'
              ? {
                  backups: [backup(hostile), backup(emoji), { ...backup(hostile), id: 'one' }],
                  state: { saves: hostile },
                }
              : backup(hostile),
        }),
        '/backups/restore': { body: { success: true, message: hostile, safetyBackup: hostile } },
        '/webhooks': (method) => ({
          body:
            method === 'GET'
              ? { webhooks: [webhook(hostile), webhook(emoji)] }
              : { ...webhook(hostile), secret: hostile },
        }),
        '/discord/servers': {
          body: { servers: [{ id: hostile, boundAt: hostile, roles: [{ id: hostile, scopes: [hostile] }] }] },
        },
        '/discord/codes': { body: { code: hostile, expiresAt: hostile } },
        '/webhooks/deliveries': { body: { deliveries: [delivery(hostile), delivery(emoji)] } },
        '/webhooks/replay': { body: { message: hostile } },
        '/invite-code': { body: { inviteCode: hostile } },
        '/keys': {
          body: {
            keys: [
              { id: hostile, name: hostile, scopes: [hostile], createdAt: hostile },
              { id, name: emoji, scopes: [] },
            ],
          },
        },
        '/accounts': {
          body: {
            accounts: [
              { id: hostile, name: hostile, provider: hostile, scopes: [hostile], groupScopes: [emoji] },
            ],
            groups: [{ provider: hostile, id: hostile, scopes: [emoji] }],
          },
        },
        '/invitations': { body: { invitations: [{ id: hostile, scopes: [hostile], expiresAt: emoji }] } },
        '/allowlist': { body: { accounts: [{ platform: hostile, id: hostile, note: emoji }] } },
        '/audit': { body: { entries: [entry(hostile), entry(emoji)], next: hostile } },
        '/audit/export': {
          type: 'application/jsonl',
          body: [hostile, emoji].map((text) => `${JSON.stringify(entry(text))}\n`).join(''),
        },
        '/history/players': { body: { players: [past(hostile), past(emoji)] } },
        '/history/sessions': { body: { sessions: [past(hostile), past(emoji)], next: hostile } },
        '/history/samples': { body: { step: 60, samples: [{ at: hostile }] } },
        '/history/days': {
          body: { days: [{ ...past(hostile), day: 1, year: 1, players: [past(hostile), past(emoji)] }] },
        },
        '/history/chat': { body: { lines: [past(hostile), past(emoji)] } },
        '/openapi.json': { body: { info: { version: hostile } } },
        '/text': { body: hostile },
        '/rendering': { status: 500, body: failure },
      },
    ),
  )

const commands = [
  ...[
    'players',
    'farmhands',
    'status',
    'cabins',
    'settings',
    'invite',
    'keys',
    'audit',
    'audit export',
    'doctor',
    'rendering',
  ],
  ...['accounts', 'accounts groups', 'invitations', 'allowlist'],
  ...['players', 'sessions', 'samples', 'days', 'chat'].map((what) => `history ${what}`),
  ...['announce hello', 'settings set server.maxPlayers=8', 'backups', 'backups make', 'webhooks'],
  ...['restore one --dry-run', 'restore one --yes'],
  ...['discord', 'discord code', 'discord roles 1', 'discord remove 1'],
  ...['webhooks deliveries x', 'webhooks replay x', 'webhooks delete x'],
  ...['api GET /players', 'api GET /text', 'farmhands delete Nobody'],
].map((line) => line.split(' '))

test("no command shows a name's control characters or marks of direction, in a terminal, a pipe or as JSON", async () => {
  const FARMGATE_URL = await hostileFarm()
  const columns = 80
  const shown = await inTerminalInTurn(commands, { FARMGATE_URL, NO_COLOR: '1' }, columns)
  const piped = await runInTurn([...commands, ...commands.map((args) => [...args, '--json'])], {
    FARMGATE_URL,
  })
  for (const [index, args] of commands.entries()) {
    const name = args.join(' ')
    const outputs = [
      shown[index]?.screen,
      ...[piped[index], piped[index + commands.length]].map((one) => one && one.stdout + one.stderr),
    ]
    for (const output of outputs) {
      expect({ name, isThere: output !== undefined && output.trim() !== '' }).toEqual({ name, isThere: true })
      expect({ name, found: forbidden.exec(output ?? '')?.[0] }).toEqual({ name, found: undefined })
    }
  }
})

/** The sequences that draw the screen and the typed line. */
const ours = ['\x1b[?1049h', '\x1b[?25l', '\x1b[?25h', '\x1b[?1049l', '\x1b[H', '\x1b[K', '\x1b[J', '\r']
const without = (screen: string) => ours.reduce((left, sequence) => left.replaceAll(sequence, ''), screen)

test.each([
  ['escape sequences and marks of direction', hostile],
  ['450 emoji', emoji],
])('chat and watch show names and lines of %s harmless, in a terminal and in a pipe', async (_, text) => {
  const server = await ownServer(nodeServer)
  await server.farm.join({ id: 71n, name: text })
  const screens = [
    inTerminal(['chat'], { ...at(server), NO_COLOR: '1' }),
    inTerminal(['watch'], { ...at(server), NO_COLOR: '1' }),
  ]
  const pipes = [
    start(['chat'], at(server)),
    start(['chat', '--json'], at(server)),
    start(['watch', '--json'], at(server)),
  ]
  await eventually(async () => {
    await server.farm.say(71n, `${text} said`)
    for (const { screen } of screens) expect(screen()).toMatch(text === emoji ? '👩‍🌾👩‍🌾' : /A.*2J/)
    for (const { stdout } of pipes) expect(stdout()).toContain(' said')
  })
  for (const { screen } of screens) expect(without(screen()).match(forbidden)?.[0]).toBeUndefined()
  for (const { stdout, stderr } of pipes) expect((stdout() + stderr()).match(forbidden)?.[0]).toBeUndefined()
})

test('import shows the names in a save harmless', async () => {
  const folder = newFolder()
  const date = { season: 'summer', day: 5, year: 2 } as const
  const save = { farmName: 'Clover', farmId: 7, date, gameVersion: '1.6.15' }
  for (const step of savingSteps(folder, { ...save, host: hostile, farmhands: [hostile] })) step.run()
  for (const options of [[], ['--json']]) {
    const shown = await run(['import', join(folder, 'Clover_7'), '--check', ...options])
    expect(shown.code).toBe(0)
    expect(shown.stdout).toContain('[2J')
    expect(shown.stdout.match(forbidden)?.[0]).toBeUndefined()
  }
})

test('JSON keeps every character of a hostile name, as escapes', async () => {
  const { stdout } = await run(['players', '--json'], { FARMGATE_URL: await hostileFarm() })
  expect(JSON.parse(stdout).players[0].name).toBe(hostile)
})

test('the question before a deletion shows the hostile name harmless, and accepts it as shown', async () => {
  const terminal = inTerminal(['farmhands', 'delete', id], {
    FARMGATE_URL: await hostileFarm(),
    NO_COLOR: '1',
  })
  await terminal.sees(' to continue: ')
  terminal.type('\x03')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen()).not.toMatch(forbidden)
})

test('emoji of several parts, accents and right-to-left writing stay unchanged', () => {
  for (const name of ['👩‍🌾', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'José', 'علي', '阿比盖尔', 'Zoë 🌱']) expect(plain(name)).toBe(name)
})

test('no text can look like one of our colours', () => {
  expect(rendered([{ style: 'red', text: '\x1b[32mgreen' }], true)).toBe('\x1b[31m\ufffd[32mgreen\x1b[39m')
})

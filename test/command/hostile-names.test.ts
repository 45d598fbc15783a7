/** Names and chat lines of strangers do nothing to the terminal. */
import { expect, test } from 'vitest'
import { plain, rendered } from '../../command/terminal/text.ts'
import { inTerminal, run } from './farmgate.ts'
import { answering, farmWith } from './faulty.ts'

/** Clears the screen, sets a title, C1's own CSI, a bell, DEL, reversed text, isolates, line separators, a soft hyphen. */
const hostile = 'A\x1b[2J\x1b]0;owned\x07\x9b31m\x7f\u202egnp\u2066\u2069\u200f\u2028\u00ad\ud800\r\nB'
const forbidden = /(?!\r?\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u00ad]/u
const id = '5046891235124875213'
const player = { id: 5, idText: id, name: hostile, isOnline: true }
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
const hostileFarm = () =>
  answering(
    farmWith(
      {},
      {
        '/players': { body: { players: [player], version: 1 } },
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
        '/settings': { body: { game: { farmName: hostile }, server: { maxPlayers: hostile } } },
        '/invite-code': { body: { inviteCode: hostile } },
        '/text': { body: hostile },
        '/rendering': { status: 500, body: failure },
      },
    ),
  )

test.each([
  ['players'],
  ['farmhands'],
  ['status'],
  ['cabins'],
  ['settings'],
  ['invite'],
  ['api GET /players'],
  ['api GET /text'],
  ['farmhands delete Nobody'],
])('%s shows no control character and no mark of direction', async (line) => {
  const FARMGATE_URL = await hostileFarm()
  const args = line.split(' ')
  const terminal = inTerminal(args, { FARMGATE_URL, NO_COLOR: '1' })
  await terminal.exit
  expect(terminal.screen()).not.toMatch(forbidden)
  for (const more of [[], ['--json']]) {
    const { stdout, stderr } = await run([...args, ...more], { FARMGATE_URL })
    expect(stdout + stderr).not.toMatch(forbidden)
  }
})

test('JSON keeps every character of a hostile name, as escapes', async () => {
  const { stdout } = await run(['players', '--json'], { FARMGATE_URL: await hostileFarm() })
  expect(JSON.parse(stdout).players[0].name).toBe(hostile)
})

test('the question before a deletion shows the hostile name harmless, and takes it as it is shown', async () => {
  const terminal = inTerminal(['farmhands', 'delete', id], {
    FARMGATE_URL: await hostileFarm(),
    NO_COLOR: '1',
  })
  await terminal.sees(' to go on: ')
  terminal.type('\x03')
  expect(await terminal.exit).toBe(130)
  expect(terminal.screen()).not.toMatch(forbidden)
})

test('emoji of several parts, accents and writings from right to left are left as they are', () => {
  for (const name of ['👩‍🌾', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'José', 'علي', '阿比盖尔', 'Zoë 🌱']) expect(plain(name)).toBe(name)
})

test('no text can look like one of our colours', () => {
  expect(rendered([{ style: 'red', text: '\x1b[32mgreen' }], true)).toBe('\x1b[31m\ufffd[32mgreen\x1b[39m')
})

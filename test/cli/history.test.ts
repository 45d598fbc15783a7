/** farmgate history. */
import { beforeAll, describe, expect, test } from 'vitest'
import { chatMessage } from '../../handlers/chat/messages.ts'
import type { ServerUnderTest } from '../contract/server-under-test.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, inTerminalInTurn, runInTurn } from './farmgate.ts'

const minute = 60_000

/**
 * Two sessions, the newer one unfinished; two days, the newer one too; samples of the last ten minutes; two chat lines.
 */
function playPast({ records: { later } }: ServerUnderTest, name: string): void {
  const now = Date.now()
  const player = { playerId: 6_208_260_877_024_290_921n, name }
  for (const [ago, isOver] of [
    [60, true],
    [30, false],
  ] as const) {
    const joinedAt = now - ago * minute
    const session = { ...player, id: joinedAt * 1000, joinedAt, seenAt: joinedAt + minute, played: minute }
    later.sessionBegan({ ...session, joinPath: 'relay' })
    if (isOver)
      later.sessionEnded({ ...session, seenAt: joinedAt + 10 * minute, played: 10 * minute }, 'left')
  }
  later.dayBegan({ beganAt: now - 40 * minute, day: 27, season: 'spring', year: 1 })
  later.dayPlayers(now - 40 * minute, [player])
  later.dayEnded(now - 40 * minute, now - 26 * minute)
  later.dayBegan({ beganAt: now - 26 * minute, day: 28, season: 'spring', year: 1 })
  for (let ago = 10; ago > 0; ago -= 1)
    later.sampled({ at: now - ago * minute, players: 2, ticksPerSecond: 60, tickMs: 1.54, memoryMb: 812 })
  for (const [index, message] of ['the first line', 'the second line'].entries()) {
    const line = { playerName: name, message, timestamp: new Date(now + index).toISOString() }
    later.chatLine({ seq: now + index, text: chatMessage(line, now + index) }, now + index)
  }
}

const kinds: readonly (readonly [string, string, RegExp])[] = [
  ['players', 'players', /^Name +Id +Last seen .*\nAbby +6208260877024290921 +\S+ +11 +2\n$/],
  ['sessions', 'sessions', /^Name .*\nAbby .* still here +relay\nAbby .* left +relay\n$/],
  [
    'samples',
    'samples',
    /^At +Players +Ticks\/s .*\n(\S+ +2 \(2\) +60 \(60\) +1\.5 \(1\.5\) +812 \(812\) *\n)+$/,
  ],
  ['days', 'days', /^Day .*\nspring 28, year 1 .*\nspring 27, year 1 .* Abby\n$/],
  ['chat', 'lines', /^At .*\n\S+ +Abby +the second line\n\S+ +Abby +the first line\n$/],
]

describe('farmgate history', () => {
  const server = sharedServer(nodeServer)
  beforeAll(() => playPast(server(), 'Abby'))

  test('shows players, sessions, samples, days and chat, and with --json what the API answers', async () => {
    const finished = await runInTurn(
      kinds.flatMap(([what]) => [
        ['history', what],
        ['history', what, '--json'],
      ]),
      at(server()),
    )
    for (const [index, [what, member, rows]] of kinds.entries()) {
      const [shown, json] = finished.slice(2 * index)
      expect({ what, ...shown }).toEqual({ what, code: 0, stderr: '', stdout: expect.stringMatching(rows) })
      expect({ what, ...json }).toMatchObject({ code: 0, stderr: '' })
      expect(JSON.parse(json?.stdout ?? '')[member].length).toBeGreaterThan(0)
    }
  })

  test('shows the same in a terminal', async () => {
    const shown = await inTerminalInTurn(
      kinds.map(([what]) => ['history', what]),
      { ...at(server()), NO_COLOR: '1' },
      120,
    )
    for (const [index, [what, , rows]] of kinds.entries()) {
      const { code, screen } = shown[index] ?? { code: -1, screen: '' }
      expect({ what, code, screen: screen.replaceAll('\r\n', '\n') }).toEqual({
        what,
        code: 0,
        screen: expect.stringMatching(rows),
      })
    }
  })

  test('samples cover an hour unless --step says otherwise, and the note on stderr leads to older rows', async () => {
    const json = (stdout = '') => JSON.parse(stdout)
    const [hours, tenMinutes, newest, wrong] = await runInTurn(
      [
        'history samples --json',
        'history samples --step 600 --json',
        'history chat --limit 1',
        'history samples --step hour',
      ].map((line) => line.split(' ')),
      at(server()),
    )
    expect(json(hours?.stdout).step).toBe(3600)
    expect(json(tenMinutes?.stdout)).toMatchObject({ step: 600, samples: expect.any(Array) })
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(newest?.stdout).not.toContain('the first line')
    const older = /^Older ones: farmgate (history chat --before \w+)\n$/.exec(newest?.stderr ?? '')?.[1] ?? ''
    const [next] = await runInTurn([older.split(' ')], at(server()))
    expect(next?.stdout).toMatch(/the first line\n$/)
    expect(next?.stdout).not.toContain('the second line')
  })

  test('a history that the farm does not keep is wrong usage', async () => {
    const [wrong] = await runInTurn([['history', 'weather']], at(server()))
    expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('samples') })
  })
})

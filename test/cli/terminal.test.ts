/** What a terminal shows. */
import { describe, expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, inTerminalInTurn, run } from './farmgate.ts'

describe('in a terminal', () => {
  const server = sharedServer(nodeServer)

  test.each([
    ['a terminal: with colours', {}, true],
    ['with NO_COLOR: without', { NO_COLOR: '1' }, false],
    ['a terminal of type dumb: without', { TERM: 'dumb' }, false],
  ])('%s', async (_, variables, hasColours) => {
    const { screen, exit } = inTerminal(['status'], { ...at(server()), ...variables })
    expect(await exit).toBe(0)
    expect(screen()).toMatch(/Farm/)
    expect(screen().includes('\x1b[')).toBe(hasColours)
  })

  test('in a terminal, a new chat line does not disturb the line being typed', async () => {
    await server().farm.join({ id: 903n, name: 'Talker' })
    const { type, sees, exit } = inTerminal(['chat', '--as', 'Me'], at(server()))
    await sees('Connected.')
    type('hello')
    await sees('> hello')
    await server().farm.say(903n, 'a line comes')
    await sees('a line comes\r\n\r\x1b[K> hello')
    type(' farm\r')
    await eventually(() =>
      expect(server().farm.relayed().at(-1)).toMatchObject({ author: 'Me', message: 'hello farm' }),
    )
    type('\x04')
    expect(await exit).toBe(0)
  })

  test('chat in a narrow terminal shows the end of the typed line on one row', async () => {
    const { type, sees, exit } = inTerminal(['chat'], at(server()), 20)
    await sees('> ')
    type('a line that is much longer than the terminal')
    await sees(/> than the terminal$/)
    type('\x03')
    expect(await exit).toBe(130)
  })

  test('watch shows farm, day, clock, players, chat and rates, and q restores the terminal', async () => {
    await server().farm.join({ id: 904n, name: 'Watched' })
    const { screen, type, sees, exit } = inTerminal(['watch'], { ...at(server()), NO_COLOR: '1' })
    await sees('live')
    await sees(/\w+ \d+, year \d+ {2}\d+:\d\d/)
    await sees('Watched')
    await sees('chat lines/min')
    await sees('ticks/s')
    await server().farm.say(904n, 'seen on the screen')
    await sees('seen on the screen')
    type('q')
    expect(await exit).toBe(0)
    expect(screen().endsWith('\x1b[?25h\x1b[?1049l')).toBe(true)
  })

  test('time, rendering, admin, say and doctor do the same in a terminal as in a pipe', async () => {
    await server().farm.join({ id: 905n, name: 'Helper' })
    server().saved.save({ farmName: 'Junimo' })
    expect((await run(['backups', 'make'], at(server()))).code).toBe(0)
    await eventually(async () => (await run(['players'], at(server()))).stdout.includes('Helper'))
    const lines: readonly (readonly [string, RegExp])[] = [
      ['time 12:00', /^Time set to 1200\r\n$/],
      ['time', /^12:\d\d, \w+ \d+, year \d+\r\n$/],
      ['rendering 15', /\S\r\n$/],
      ['rendering', /^15 frames per second\r\n$/],
      ['admin Helper', /\S\r\n$/],
      ['say --as Me hello farm', /^Said as Me\.\r\n$/],
      ['doctor --patience 20', /^(✔ [a-zA-Z ]+: .+\r\n){5,}$/],
    ]
    const shown = await inTerminalInTurn(
      lines.map(([line]) => line.split(' ')),
      { ...at(server()), NO_COLOR: '1' },
    )
    for (const [index, [line, screen]] of lines.entries())
      expect({ line, ...shown[index] }).toEqual({ line, code: 0, screen: expect.stringMatching(screen) })
    expect(server().farm.isAdmin(905n)).toBe(true)
    expect(server().farm.relayed().at(-1)).toMatchObject({ author: 'Me', message: 'hello farm' })
  })
})

test('watch in a pipe is wrong usage without --json', async () => {
  const { code, stdout, stderr } = await run(['watch'], { FARMGATE_URL: 'http://127.0.0.1:2' })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/--json/)
})

test('the completion of bash knows commands and options', async () => {
  const { stdout } = await run(['completion', 'bash'])
  const { execFileSync } = await import('node:child_process')
  const complete = (line: string) =>
    execFileSync(
      'bash',
      [
        '-c',
        `${stdout}\nCOMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _farmgate; echo "\${COMPREPLY[@]}"`,
      ],
      {
        encoding: 'utf8',
      },
    ).trim()
  expect(complete('farmgate pl')).toBe('players')
  expect(complete('farmgate farmhands re')).toBe('rebind')
  expect(complete('farmgate invite --q')).toBe('--qr')
  expect(complete('farmgate players --js')).toBe('--json')
  for (const shell of ['zsh', 'fish']) expect((await run(['completion', shell])).stdout).toContain('players')
  expect((await run(['completion', 'tcsh'])).code).toBe(2)
})

/** `farmgate init` at a terminal: its questions, and the .env from the answers. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textOf, valuesOf } from './dotenv-file.ts'
import { inTerminal, newFolder } from './farmgate.ts'

describe('farmgate init at a terminal', () => {
  function started(cwd: string, args: readonly string[] = []) {
    const terminal = inTerminal(['init', ...args], {}, 100, undefined, cwd)
    /** Waits for a question, and types a line. */
    const answer = async (question: string, line: string) => {
      await terminal.sees(question)
      terminal.type(`${line}\r`)
    }
    return { ...terminal, answer }
  }

  test('asks the questions, repeats one after a wrong answer, shows no link key, and says what comes next', async () => {
    const cwd = newFolder()
    const { answer, exit, screen } = started(cwd)
    await answer('Name of that account', '../x')
    await answer('That is not right: use the account name', 'cloverfarm')
    await answer('Join password', 'clove')
    await answer('That is not right: use 6 or more characters', 'clover 4')
    await answer('That is not right: use letters', 'none')
    await answer('Show it to anyone? (y or n, Enter: n): ', 'y')
    await answer('Allow it? (y or n, Enter: n): ', 'y')
    await answer('Name that points to this machine', 'Farm.Example')
    await answer('Address of the edge', 'https://edge.example/farms/clover')
    await answer('Link key of the farm there', 'a-link-key-of-the-edge')
    expect(await exit).toBe(0)
    expect(screen()).not.toContain('a-link-key-of-the-edge')
    for (const line of [
      'docker compose logs ticket',
      'docker compose run --rm ticket setup',
      'docker compose --profile https up -d',
      'farmgate invite',
    ])
      expect(screen()).toContain(line)
    expect(valuesOf(cwd)).toEqual({
      API_KEY: expect.any(String),
      GAME_API_KEY: expect.any(String),
      TICKET_KEY: expect.any(String),
      VNC_PASSWORD: expect.any(String),
      PLATFORM_USERNAME: 'cloverfarm',
      PUBLIC_INVITE_CODES: 'true',
      SAVES_ACCESS: 'rw',
      API_DOMAIN: 'farm.example',
      TRUST_PROXY: '1',
      EDGE_URL: 'https://edge.example/farms/clover',
      EDGE_LINK_KEY: 'a-link-key-of-the-edge',
    })
  })

  test('Enter to every question is a farm for this machine only, with a join password', async () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, 'compose.yaml'), '')
    const { answer, exit, screen } = started(cwd, ['--account', 'cloverfarm'])
    for (const question of [
      'Join password',
      'Show it to',
      'Allow it?',
      'Name that points',
      'Address of the edge',
    ])
      await answer(question, '')
    expect(await exit).toBe(0)
    expect(screen()).not.toContain('There is no compose.yaml')
    expect(screen()).toContain('The dashboard is then at http://localhost:8080')
    expect(Object.keys(valuesOf(cwd)).sort()).toEqual([
      'API_KEY',
      'GAME_API_KEY',
      'PLATFORM_USERNAME',
      'SERVER_PASSWORD',
      'TICKET_KEY',
      'VNC_PASSWORD',
    ])
  })

  test('an existing .env is replaced only after its name was typed, and the questions follow', async () => {
    const cwd = newFolder()
    writeFileSync(join(cwd, '.env'), 'API_KEY=old\n')
    const refusing = started(cwd)
    await refusing.answer('Type .env to continue: ', 'yes')
    expect(await refusing.exit).toBe(1)
    expect(textOf(cwd)).toBe('API_KEY=old\n')
    const { answer, exit } = started(cwd, ['--account', 'a', '--no-join-password', '--domain', 'f.example'])
    await answer('Type .env to continue: ', '.env')
    await answer('Show it to anyone?', 'n')
    await answer('Allow it?', 'n')
    await answer('Address of the edge', '')
    expect(await exit).toBe(0)
    expect(valuesOf(cwd)['API_KEY']).toHaveLength(40)
    expect(readFileSync(join(cwd, '.env.old-1'), 'utf8')).toBe('API_KEY=old\n')
  })

  test.each(['\x03', '\x04'])('Ctrl-C and Ctrl-D at a question write nothing (%j)', async (key) => {
    const cwd = newFolder()
    const { type, sees, exit } = started(cwd)
    await sees('Name of that account')
    type(key)
    expect(await exit).toBe(key === '\x03' ? 130 : 2)
    expect(readdirSync(cwd)).toEqual([])
  })
})

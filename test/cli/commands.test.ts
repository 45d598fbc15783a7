/** What every command does. The edge answers them as in contract/client. */
import { describe, expect, test } from 'vitest'
import { ownServer, sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, run, start as startCommand } from './farmgate.ts'

const abby = { id: 5046891235124875213n, name: 'Abby' }

describe('farmgate <command>', () => {
  const server = sharedServer(nodeServer)
  const json = async (...args: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await run([...args, '--json'], at(server()))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  test('status shows the farm at a glance, and --json the answer of the API', async () => {
    const { code, stdout, stderr } = await run(['status'], at(server()))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Farm {2,}\S/m)
    expect(stdout).toMatch(/^State +ready$/m)
    expect(await json('status')).toMatchObject({ isOnline: true, isReady: true })
  })

  test('players and farmhands show names with every digit of their ids', async () => {
    await server().farm.join(abby)
    await eventually(async () => {
      const { stdout } = await run(['players'], at(server()))
      expect(stdout).toMatch(/^Abby +5046891235124875213 /m)
    })
    const { stdout } = await run(['farmhands'], at(server()))
    expect(stdout).toMatch(/^Abby +5046891235124875213 +yes/m)
    expect(await json('players')).toMatchObject({
      players: expect.arrayContaining([expect.objectContaining({ idText: '5046891235124875213' })]),
    })
    expect((await run(['players', '--json'], at(server()))).stdout).toContain('"id":5046891235124875213,')
  })

  test('time, rendering and admin change the game, and report the change', async () => {
    await server().farm.join(abby)
    expect((await run(['time', '12:00'], at(server()))).stdout).toBe('Time set to 1200\n')
    expect((await run(['time'], at(server()))).stdout).toMatch(/^12:\d\d, \w+ \d+, year \d+\n$/)
    expect(await json('rendering', '15')).toMatchObject({ success: true, fps: 15 })
    expect((await run(['rendering'], at(server()))).stdout).toBe('15 frames per second\n')
    expect((await run(['admin', 'abby'], at(server()))).code).toBe(0)
    expect(server().farm.isAdmin(abby.id)).toBe(true)
  })

  test('a change by a command has the origin `cli` in the audit', async () => {
    const newest = async () => (await server().records.of('local').audit({ limit: 1 })).entries[0]
    await run(['time', '12:20'], at(server()))
    expect(await newest()).toMatchObject({ origin: 'cli', action: 'setTime', outcome: 'done' })
    await run(['say', '--as', 'Discord', 'hello'], at(server()))
    expect(await newest()).toMatchObject({ origin: 'cli', action: 'chat_send', outcome: 'done' })
    await run(['api', 'POST', '/time?value=1230'], at(server()))
    expect(await newest()).toMatchObject({ origin: 'cli', parameters: { value: '1230' } })
  })

  test('invite, cabins and settings show the answers of the API', async () => {
    const { stdout } = await run(['invite', '--qr'], at(server()))
    const [steam, gog] = stdout.split('\n')
    expect(steam).toMatch(/^S\w+$/)
    expect(gog).toBe(`For players on GOG only: G${steam?.slice(1)}`)
    expect(stdout).toContain('▄▄▄')
    expect((await run(['cabins'], at(server()))).stdout).toMatch(/cabins have an owner/)
    expect((await run(['settings'], at(server()))).stdout).toMatch(/^server\.maxPlayers +\d+$/m)
  })

  test('say says a line in the game, with the given author', async () => {
    const { code, stdout, stderr } = await run(['say', '--as', 'Discord', 'hello', 'farm'], at(server()))
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: 'Said as Discord.\n' })
    expect(server().farm.relayed().at(-1)).toMatchObject({ author: 'Discord', message: 'hello farm' })
  })

  test('announce says a line to all players as the server', async () => {
    const { code, stdout } = await run(['announce', 'the farm', 'restarts at 6'], at(server()))
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Announced to all players\n' })
    expect(server().farm.seen().at(-1)).toBe('Server: the farm restarts at 6')
  })

  test('chat follows the chat as JSON lines, and says the lines of its input', async () => {
    const own = await ownServer(nodeServer)
    await own.farm.join(abby)
    const chat = startCommand(['chat', '--json', '--as', 'Bot'], at(own))
    await eventually(async () => {
      await own.farm.say(abby.id, 'anyone here?')
      expect(chat.stdout()).toContain('"message":"anyone here?"')
    })
    chat.child.stdin.write('I am\n')
    await eventually(() =>
      expect(own.farm.relayed()).toContainEqual(expect.objectContaining({ author: 'Bot', message: 'I am' })),
    )
    for (const line of chat.stdout().trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('type')
    chat.child.kill('SIGINT')
    expect((await chat.finished).code).toBe(130)
  })

  test('api sends any request, and an unknown path ends with 4', async () => {
    const { code, stdout } = await run(['api', 'GET', '/players'], at(server()))
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveProperty('players')
    expect(await run(['api', 'get', '/nowhere'], at(server()))).toMatchObject({ code: 4, stdout: '' })
    expect(JSON.parse((await run(['api', 'POST', '/time?value=1300'], at(server()))).stdout)).toMatchObject({
      timeOfDay: 1300,
    })
  })

  test.each([
    ['a wrong key', ['players'], { FARMGATE_KEY: 'a key that is wrong' }, 3],
    ['no key', ['players'], { FARMGATE_KEY: undefined }, 3],
    ['a player who is not there', ['admin', 'Nobody'], {}, 4],
    ['a time that is none', ['time', '12:75'], {}, 2],
    ['a value that the server refuses', ['rendering', '999'], {}, 2],
    ['chat with a wrong key', ['chat'], { FARMGATE_KEY: 'a key that is wrong' }, 3],
    ['say with a wrong key', ['say', 'hello'], { FARMGATE_KEY: 'a key that is wrong' }, 3],
  ])(
    '%s: a sentence on stderr, nothing on stdout, and the exit code of the table',
    async (_, args, env, code) => {
      const finished = await run(args, { ...at(server()), ...env })
      expect(finished).toMatchObject({ code, stdout: '' })
      expect(finished.stderr).toMatch(/farmgate: \S/)
    },
  )

  test('an offline game ends status with 5, after its last values', async () => {
    const own = await ownServer(nodeServer)
    expect((await run(['status'], at(own))).code).toBe(0)
    await own.farm.goOffline()
    await eventually(async () => {
      const { code, stdout, stderr } = await run(['status'], at(own))
      expect(code).toBe(5)
      expect(stdout).toMatch(/^State +away$/m)
      expect(stderr).toMatch(/Check that it is running/)
    })
  })
})

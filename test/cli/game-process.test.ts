/** `farmgate start`, `stop`, `restart`, `operations`, `logs` and `console` with a real server. */
import { expect, onTestFinished, test } from 'vitest'
import { noHost } from '../../services/host/no-host.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { plainDriver } from '../services/host/plain-driver.ts'
import { storedOperation, undoneOperation } from '../services/host/stored-operation.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, run, start as startCommand } from './farmgate.ts'

/** A server with a running game, and no one online. */
async function served() {
  const driver = plainDriver()
  const server = await nodeServer({ driver })
  onTestFinished(() => server.stop())
  for (const { id } of (await server.bridge.players()).players) await server.farm.leave(id)
  return { driver, server, farmgate: (...args: string[]) => run(args, at(server)) }
}

test('restart --wait shows each step and ends when the game is back; stop and start are its halves', async () => {
  const { driver, farmgate } = await served()
  const restarted = await farmgate('restart', '--reason', 'new mods', '--no-backup', '--wait')
  expect(restarted).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+ succeeded\n$/) })
  expect(restarted.stderr.match(/(?<= )\w+$/gm)).toEqual(['stopping', 'starting', 'checking', 'succeeded'])
  expect(driver.asked).toEqual(['stop 60', 'start'])
  const stopped = await farmgate('stop', '--wait', '--json')
  expect(JSON.parse(stopped.stdout)).toMatchObject({ operation: { action: 'stop', state: 'succeeded' } })
  expect(await farmgate('stop')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Start it instead.'),
  })
  expect(await farmgate('start', '--wait')).toMatchObject({ code: 0 })
  expect((await farmgate('operations')).stdout).toMatch(/ restart +now +succeeded +API_KEY +new mods$/m)
})

test('a waiting operation is listed, refuses a second one, and is cancelled by its id', async () => {
  const { server, farmgate } = await served()
  await server.farm.join({ id: 11n, name: 'Abby' })
  const begun = await farmgate('restart', '--when', 'empty')
  const [id = ''] = begun.stdout.split(' ')
  expect(begun).toEqual({
    code: 0,
    stdout: `${id} waiting\n`,
    stderr: 'Its progress: farmgate operations\n',
  })
  expect(await farmgate('stop')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Wait until it has ended, or cancel it.'),
  })
  expect((await farmgate('operations', 'cancel', id)).stdout).toBe(`${id} cancelled\n`)
  expect((await farmgate('operations', 'cancel', id)).code).toBe(3)
  expect((await farmgate('operations', 'cancel', 'x')).code).toBe(4)
})

test('an announced restart says when the game stops, also in the list of operations', async () => {
  const { server, farmgate } = await served()
  await server.farm.join({ id: 11n, name: 'Abby' })
  const begun = await farmgate('restart', '--json')
  const { id, stopsAt } = JSON.parse(begun.stdout).operation
  expect(Date.parse(stopsAt)).toBeGreaterThan(Date.now())
  expect(begun.stderr).toContain(`The game stops at ${stopsAt}, or earlier if all players leave.\n`)
  expect((await farmgate('operations')).stdout).toContain(`warning: stops at ${stopsAt}`)
  await farmgate('operations', 'cancel', id)
  expect((await farmgate('operations')).stdout).not.toContain('stops at')
})

test('a failed operation ends --wait with 1, its cause and the last lines of the log', async () => {
  const { driver, farmgate } = await served()
  driver.print('an exception in a mod')
  driver.instead.start = () => Promise.reject(new Error('no image'))
  const failed = await farmgate('restart', '--wait')
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringMatching(/ failed\n$/) })
  expect(failed.stderr).toMatch(/farmgate: The restart failed: .+\n.* {2}an exception in a mod\n/s)
})

test('--wait ends with 4 when the records of the farm no longer have the operation', async () => {
  const begun = storedOperation({ action: 'start', state: 'starting' })
  const host = { ...noHost, beginOperation: async () => begun, operations: async () => [] }
  const server = await nodeServer({ server: { host } })
  onTestFinished(() => server.stop())
  expect(await run(['start', '--wait'], at(server))).toEqual({
    code: 4,
    stdout: '',
    stderr: 'farmgate: The operation is no longer known.\nCheck whether the game runs: farmgate status\n',
  })
})

test('a failed operation that is undone says that the game plays the farm from before', async () => {
  const undone = undoneOperation('load_save')
  const server = await nodeServer({ server: { host: { ...noHost, beginOperation: async () => undone } } })
  onTestFinished(() => server.stop())
  const { code, stderr } = await run(['restart'], at(server))
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      'farmgate: The load of the save failed: no image\nfarmgate: The game plays the farm from before.\n',
  })
})

test.each([
  [['restart', '--when', 'soon'], '--when is one of now, empty, night.'],
  [['restart', '--warn', 'often'], '--warn is a list of minutes, or none.'],
  [['stop', '--warn', '1,5'], "'warnMinutes'"],
  [['logs', '--lines', '9999'], '--lines is a whole number from 1 to 2000.'],
])('%j is refused with its fault, and nothing starts', async (args, sentence) => {
  const { driver, farmgate } = await served()
  expect(await farmgate(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) })
  expect(driver.asked).toEqual([])
})

test('logs prints the last lines, and with --follow new ones; control characters never reach the terminal', async () => {
  const { driver, server, farmgate } = await served()
  for (const line of ['one', 'two', '\u001b[31mthree']) driver.print(line)
  expect((await farmgate('logs', '--lines', '2')).stdout).toBe('two\nthree\n')
  const following = startCommand(['logs', '--follow', '--json'], at(server))
  await eventually(() => expect(following.stdout()).toContain('three'))
  driver.print('four')
  await eventually(() => expect(following.stdout()).toContain('four'))
  const texts = following
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).text)
  expect(texts).toEqual(['one', 'two', 'three', 'four'])
  following.child.kill('SIGINT')
  expect((await following.finished).code).toBe(130)
})

test('console sends one line, the lines of a pipe, and lines typed at a terminal', async () => {
  const { driver, server, farmgate } = await served()
  expect(await farmgate('console', 'players', 'list')).toMatchObject({ code: 0, stdout: '> players list\n' })
  const piped = await run(['console'], at(server), 'help\n\nversion\n')
  expect(piped).toEqual({ code: 0, stdout: '> help\n> version\n', stderr: '' })
  const terminal = inTerminal(['console'], at(server))
  await terminal.sees('> ')
  terminal.type('season\r')
  await terminal.sees('> season\r\n> season')
  terminal.type('\u0004')
  expect(await terminal.exit).toBe(0)
  expect(driver.asked).toEqual(['type players list', 'type help', 'type version', 'type season'])
})

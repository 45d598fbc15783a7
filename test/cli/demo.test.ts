/** The demo as the author of a bot uses it: a player says the line that the bot waits for. */
import { expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { eventually } from '../wait.ts'
import { start } from './farmgate.ts'

test("a line typed into the demo's terminal is said by one of its players and reaches bots; their lines are printed there; of one that begins with ! it says that bots do not get it", async () => {
  const demo = start(['demo'], { API_PORT: '0' })
  await eventually(() => expect(demo.stdout()).toMatch(/To speak as one of its players.*hi bot/))
  const variable = (name: string) => new RegExp(`${name}='(.*)'`).exec(demo.stdout())?.[1] ?? ''
  const live = connect({ url: variable('FARMGATE_URL'), key: variable('FARMGATE_KEY') }).live()
  const heard: string[] = []
  live.on('chat', ({ message }) => heard.push(message))
  await eventually(() => expect(live.state).toBe('live'))
  demo.child.stdin.write('is a bot here?\n')
  await eventually(() => expect(heard).toContain('is a bot here?'))
  expect(demo.stdout()).toMatch(/^.+: is a bot here\?$/m)
  demo.child.stdin.write('!help\n')
  await eventually(() => expect(demo.stdout()).toMatch(/^The game server keeps lines that begin with "!"/m))
  await live.say({ author: 'Bot', message: 'Hello there' })
  await eventually(() => expect(demo.stdout()).toMatch(/^\(Web\) Bot: Hello there$/m))
  expect(heard).not.toContain('!help')
  live.close()
})

test('everything works in the demo: its game has a host, a log and a console, on which crash and hang do so; it has mods of which two have a problem, schedules that have run, a webhook that has arrived, a named key and an allowlist', async () => {
  const demo = start(['demo'], { API_PORT: '0' })
  await eventually(() => expect(demo.stdout()).toMatch(/Stop with Ctrl-C/))
  const variable = (name: string) => new RegExp(`${name}='(.*)'`).exec(demo.stdout())?.[1] ?? ''
  const farm = connect({ url: variable('FARMGATE_URL'), key: variable('FARMGATE_KEY') })
  await eventually(async () => expect((await farm.allowlist()).accounts).toMatchObject([{ note: 'Abby' }]))
  expect((await farm.mods()).mods.filter(({ problems }) => problems.length > 0)).toHaveLength(2)
  expect((await farm.schedules()).schedules.map(({ last }) => last !== undefined)).toEqual([true, true])
  expect((await farm.keys()).keys.map(({ name }) => name)).toEqual(['Robin, moderator'])
  const [{ id } = { id: '' }] = (await farm.webhooks()).webhooks
  await eventually(async () =>
    expect((await farm.webhookDeliveries({ id })).deliveries).toContainEqual(
      expect.objectContaining({ event: 'test', state: 'delivered' }),
    ),
  )
  expect(await farm.host()).toMatchObject({
    driver: 'simulated',
    state: 'running',
    can: { console: true, log: true },
    resources: { game: { memory: { used: expect.any(Number) } } },
  })
  expect((await farm.typeAtConsole({ line: 'players' })).output.join()).toContain('[console]')
  await farm.typeAtConsole({ line: 'crash' })
  await eventually(async () => expect(await farm.host()).toMatchObject({ state: 'crashed', exitCode: 134 }))
  await eventually(async () =>
    expect(await farm.health()).toMatchObject({ cause: { code: 'process_crashed' } }),
  )
  await farm.startGame({})
  await eventually(async () => expect(await farm.health()).toMatchObject({ status: 'ok' }))
  await eventually(async () => expect((await farm.host()).operation).toBeNull())
  await farm.typeAtConsole({ line: 'hang' })
  await eventually(async () => expect(await farm.health()).toMatchObject({ cause: { code: 'frozen' } }))
  await farm.restartGame({ force: true, warnMinutes: [] })
  await eventually(async () => expect(await farm.health()).toMatchObject({ status: 'ok' }))
})

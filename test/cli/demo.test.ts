/** The demo as the author of a bot uses it, and as a newcomer who judges farmgate by it. */
import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { browser } from '../accounts/browser.ts'
import { eventually } from '../wait.ts'
import { newFolder, start, type Variables } from './farmgate.ts'

/** @returns the demo, a client of it, and the folder that it may write to */
async function startDemo(more: Variables = {}) {
  const temporary = newFolder()
  const demo = start(['demo'], { API_PORT: '0', TMPDIR: temporary, ...more })
  await eventually(() => expect(demo.stdout()).toMatch(/Stop with Ctrl-C/))
  const variable = (name: string) => new RegExp(`${name}='(.*)'`).exec(demo.stdout())?.[1] ?? ''
  const [url, key] = [variable('FARMGATE_URL'), variable('FARMGATE_KEY')]
  return { demo, temporary, url, key, farm: connect({ url, key }) }
}

test("a line typed into the demo's terminal is said by one of its players and reaches bots; their lines are printed there; of one that begins with ! it says that bots do not get it", async () => {
  const { demo, farm } = await startDemo()
  expect(demo.stdout()).toMatch(/To speak as one of its players.*hi bot/)
  const live = farm.live()
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
  const { farm } = await startDemo()
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

test('in the demo a restore and a restart warn the players, who leave and come back after it, and another of its three saves can be loaded', async () => {
  // Players need a tenth of their time to leave.
  const { farm } = await startDemo({ SIM_SPEED: '10' })
  const arePlaying = () =>
    eventually(async () => expect((await farm.players()).players.length).toBeGreaterThan(0))
  const live = farm.live()
  const left: string[] = []
  live.on('event', (event) => {
    if (event.event === 'player_left') left.push(event.player.name)
  })
  await eventually(() => expect(live.state).toBe('live'))
  await arePlaying()
  const { backups } = await eventually(() => farm.backups())
  const [, , , { id, day, season } = { id: '', day: 0, season: '' }] = backups
  expect(await farm.restoreBackup({ id })).toMatchObject({ success: true })
  expect(await farm.status()).toMatchObject({ day, season })
  await eventually(() => expect(left).not.toEqual([]))
  await arePlaying()
  left.length = 0
  const { operation } = await farm.restartGame({})
  expect(operation.state).toBe('warning')
  await eventually(async () =>
    expect((await farm.hostOperations()).operations[0]).toMatchObject({
      id: operation.id,
      state: 'succeeded',
      steps: expect.arrayContaining([expect.objectContaining({ state: 'starting' })]),
    }),
  )
  await eventually(() => expect(left).not.toEqual([]))
  await arePlaying()
  const { saves } = await farm.saves()
  expect(saves.map(({ farmName }) => farmName)).toEqual(
    expect.arrayContaining(['Junimo', 'Willow', 'Old Mill']),
  )
  await farm.chooseSave({ name: saves.find(({ farmName }) => farmName === 'Old Mill')?.name ?? '' })
  expect(await farm.status()).toMatchObject({ farmName: 'Old Mill', season: 'winter' })
  live.close()
})

test('the demo has people with accounts and an invitation, anyone can sign in with its Demo account, and nothing of it is left in its temporary folder at the end', async () => {
  const { demo, farm, url, temporary } = await startDemo()
  await eventually(async () =>
    expect((await farm.accounts()).accounts.map(({ name }) => name)).toEqual([
      'Sam',
      'Abby',
      'Robin',
      'Demo account',
    ]),
  )
  await eventually(async () => expect((await farm.invitations()).invitations).toHaveLength(1))
  expect((await farm.signInProviders()).providers).toEqual([{ id: 'oidc', name: 'Demo account' }])
  const someone = browser(url)
  await someone.signIn('oidc')
  expect((await someone.fetch('GET', '/keys/own')).json).toMatchObject({
    name: 'Demo account',
    scopes: ['read', 'chat', 'control'],
  })
  expect(readdirSync(temporary)).not.toEqual([])
  demo.child.kill('SIGTERM')
  expect((await demo.finished).code).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
})

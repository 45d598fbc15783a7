/** A game that someone restarts from outside, with a pointer that names no save: it makes a new farm, unseen. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../client/index.ts'
import { savedFarm } from '../../backups/saved-farm.ts'
import { pointTo, startSavedGame } from '../../game-server/saved-game.ts'
import { newFolder } from '../../new-folder.ts'
import { aReceiver } from '../../services/webhooks/a-receiver.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'
import { scrape } from './scrape.ts'

const key = 'right-farm-right-farm-right-farm'
const name = 'Clover_123456789'
const own = { name: 'Clover', number: '123456789', season: 'summer', day: 5, year: 1 }

async function setUp() {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  saved.save()
  pointTo(saved.savesDir, name)
  // The settings make a farm of the same name.
  const settingsPath = join(newFolder(), 'server-settings.json')
  writeFileSync(settingsPath, '{"Game":{"FarmName":"Clover"}}')
  const game = await startSavedGame({ savesDir: saved.savesDir, settingsPath, snapshotEvery: 50 })
  onTestFinished(() => game.end())
  const receiver = await aReceiver()
  const env = {
    API_KEY: key,
    GAME_API_URL: game.url,
    SAVES_DIR: saved.savesDir,
    DATA_DIR: join(newFolder(), 'data'),
    BACKUP_DIR: saved.folder,
    WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
    RATE_LIMIT_READS: '0',
  }
  const open = async () => {
    const farmgate = await serving(env)
    return { ...farmgate, farm: connect({ url: farmgate.url, key }) }
  }
  const first = await open()
  const webhook = {
    name: 'w',
    url: receiver.url,
    events: ['game.wrong_farm' as const],
    format: 'standard' as const,
  }
  await first.farm.createWebhook(webhook)
  await eventually(async () =>
    expect((await first.farm.backups()).backups).toMatchObject([{ save: name, day: 5 }]),
  )
  /** From outside: the container is started again. */
  const restart = async (pointer: string) => {
    await game.stop()
    pointTo(saved.savesDir, pointer)
    await game.start()
  }
  const told = () => receiver.received.map(({ body }) => JSON.parse(body))
  return { game, first, open, restart, told }
}

test('a game that is restarted from outside with a pointer to nothing raises the alarm; loading the farm again ends it', async () => {
  const { game, first, open, restart, told } = await setUp()
  const live = first.farm.live({ topics: ['status'] })
  onTestFinished(() => live.close())
  const heard: unknown[] = []
  live.on('event', (event) => {
    if (event.event === 'game.wrong_farm') heard.push(event)
  })
  await eventually(() => expect(live.state).toBe('live'))
  await restart('Nothing_1')
  const wrong = {
    kind: 'other_farm',
    expected: own,
    found: { name: 'Clover', season: 'spring', day: 1, year: 1 },
  }
  await eventually(async () => expect((await first.farm.saves()).unexpected).toMatchObject(wrong))
  const { since } = (await first.farm.saves()).unexpected ?? expect.fail('no alarm')
  await eventually(() => expect(heard).toMatchObject([{ topic: 'status', ...wrong, since }]))
  const value = async (url: string) =>
    (await scrape(url, key)).find((one) => one.name === 'farmgate_wrong_farm')?.value
  expect(await value(first.url)).toBe(1)
  expect(await first.farm.health()).toMatchObject({ status: 'ok', gameAvailable: true })

  // Its first night: the new farm is backed up as itself, and what is known of it has its number.
  game.night()
  await eventually(async () => expect(await first.farm.status()).toMatchObject({ day: 2 }))
  expect(await first.farm.makeBackup()).toMatchObject({ save: game.played()?.folder, day: 2 })
  await eventually(async () =>
    expect((await first.farm.saves()).unexpected?.found).toMatchObject({ number: expect.any(String) }),
  )
  first.signal('SIGKILL')
  await first.exited
  const second = await open()
  await eventually(async () => expect(await value(second.url)).toBe(1))
  expect((await second.farm.saves()).unexpected).toMatchObject({ ...wrong, since })

  game.type(`saves import ${name} --reload`)
  await eventually(async () => expect(await second.farm.saves()).not.toHaveProperty('unexpected'))
  expect(await value(second.url)).toBe(0)
  expect(told()).toMatchObject([{ type: 'game.wrong_farm', data: { ...wrong, since } }])
}, 300_000)

/**
 * Restores through the API of a game server that loads the save from the disk: it is killed, hangs, or answers with a
 * wrong status.
 */
import { readdirSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { loadSave } from '../../../bridges/simulated/save-files.ts'
import { backupsOf, savedFarm } from '../../backups/saved-farm.ts'
import { upstreamGame } from '../../bridges/upstream-game.ts'
import type { Fault } from '../../game-server/faults.ts'
import { eventually } from '../../wait.ts'
import { name, summer } from './loading-game.ts'

/** A farm at day 9 with a backup of day 5, and a game that loads the save on the disk. */
async function setUp() {
  const saved = savedFarm()
  onTestFinished(saved.remove)
  const { bridge, server, close } = await upstreamGame({ limits: { budgetOf: () => 300, look: 300 } })
  onTestFinished(close)
  const { world, faults } = server
  const day = () => loadSave(saved.saves, name)?.date.day
  world.onReload = () => Object.assign(world, loadSave(saved.saves, name)?.date)
  world.farmName = 'Clover'
  const playing = async (date: ReturnType<typeof summer>) => {
    saved.save(date)
    world.onReload()
    world.publish()
    await eventually(async () => expect(await bridge.status()).toMatchObject({ day: date.date.day }))
  }
  await playing(summer(5))
  const { port, close: end } = backupsOf(saved, bridge)
  onTestFinished(end)
  const { id } = await port.makeBackup()
  await playing(summer(9))
  return { saved, bridge, server, world, faults, day, restore: () => port.restoreBackup(id, false) }
}

test('a healthy game server plays the restored backup', async () => {
  const { saved, world, day, restore } = await setUp()
  expect((await restore())?.message).toContain('is restored; 4 game days')
  expect([day(), world.day, world.reloads, readdirSync(saved.saves)]).toEqual([5, 5, 1, [name]])
})

const failing: readonly [what: string, resource: 'POST /reload' | 'GET /status', fault: Fault][] = [
  ['is killed while it loads', 'POST /reload', { kind: 'resets' }],
  ['is killed while it answers that it has loaded', 'POST /reload', { kind: 'truncated' }],
  ['hangs while it loads', 'POST /reload', { kind: 'silent' }],
  ['hangs while it answers', 'POST /reload', { kind: 'hangs' }],
  ['answers nonsense when it loads', 'POST /reload', { kind: 'garbage' }],
  ['fails to load', 'POST /reload', { kind: 'status', status: 500, body: '{"success":false,"error":"x"}' }],
  ['is killed after it has loaded', 'GET /status', { kind: 'resets' }],
]
/** It is unknown whether the game plays the restored save in these, so the note of the owed reload stays. */
test.each(failing)(
  'after a game server that %s the old save is restored: restore_undone',
  async (_what, resource, fault) => {
    const { saved, world, faults, day, restore } = await setUp()
    const load = world.onReload
    if (resource === 'POST /reload') faults.set(fault, resource)
    else
      world.onReload = () => {
        load()
        faults.set(fault, resource)
      }
    await expect(restore()).rejects.toMatchObject({ failure: { kind: 'restore_undone' } })
    expect([day(), readdirSync(saved.saves)]).toEqual([9, ['.farmgate-restore.json', name]])
  },
)

test('after a game server that claims a load and keeps playing the old save is restored: restore_undone', async () => {
  const { saved, world, day, restore } = await setUp()
  world.onReload = () => {}
  await expect(restore()).rejects.toMatchObject({
    failure: { sentence: expect.stringContaining('in its place again, and the game plays it') },
  })
  expect([day(), world.day, readdirSync(saved.saves)]).toEqual([9, 9, [name]])
})

test('with a game server that stops before the start nothing is restored', async () => {
  const { saved, bridge, server, day, restore } = await setUp()
  await server.down()
  // A cached read is still the answer.
  await eventually(() => expect(bridge.players()).rejects.toThrow())
  await expect(restore()).rejects.toMatchObject({ failure: { kind: 'players_connected' } })
  expect([day(), readdirSync(saved.saves)]).toEqual([9, [name]])
})

/** When the copy of a backup is removed, and when it stays. */
import { unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CopyError, type CopyStore } from '../../../services/backups/copy-store.ts'
import { manualClock } from '../../bridges/manual-clock.ts'
import { eventually } from '../../wait.ts'
import { aFarm, namesOf, states, unreliable } from './copied-farm.ts'

test('a copy is removed with its backup, by hand or by the keep rule', async () => {
  const { open, saved, objects } = aFarm()
  const keep = { days: 1, weeks: 0, months: 0 }
  const first = open(undefined, { keep })
  await eventually(async () => (await states(first)).join() === 'done')
  await first.close()
  const old = objects()
  saved.save({ date: { season: 'summer', day: 6, year: 1 } })
  const second = open(undefined, { keep })
  await eventually(async () => {
    expect(await states(second)).toEqual(['done'])
    expect(objects()).toHaveLength(1)
    expect(objects()).not.toEqual(old)
  })
  saved.saveAgain()
  const { id } = await second.port.makeBackup()
  await eventually(() => objects().length === 2)
  await second.port.removeBackup(id)
  await eventually(async () => expect(objects()).toEqual(await namesOf(second)))
})

test('a copy whose backup was removed while the storage was offline is removed after the next start', async () => {
  const { open, place, objects, saved } = aFarm()
  const first = open()
  await first.port.makeBackup()
  await eventually(async () => (await states(first)).every((state) => state === 'done'))
  await first.close()
  const offline = open({ ...place, store: unreliable(place.store).store })
  for (const { id } of (await offline.port.backups()).backups) await offline.port.removeBackup(id)
  await offline.close()
  expect(objects()).not.toEqual([])
  // The save has a new backup at the next start; the copies of the old ones are removed.
  const old = objects()
  saved.save({ date: { season: 'summer', day: 6, year: 1 } })
  const next = open()
  await eventually(async () => {
    expect(objects()).toEqual(await namesOf(next))
    expect(objects().filter((name) => old.includes(name))).toEqual([])
  })
})

test('a backup that is removed during its copying leaves no copy', async () => {
  const { open, place, objects } = aFarm()
  const stored = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const slow: CopyStore = {
    ...place.store,
    async write(...call) {
      await place.store.write(...call)
      stored.resolve()
      await goOn.promise
    },
  }
  const backups = open({ ...place, store: slow })
  await backups.port.makeBackup()
  await stored.promise
  for (const { id } of (await backups.port.backups()).backups) await backups.port.removeBackup(id)
  goOn.resolve()
  await eventually(() => expect(objects()).toEqual([]))
})

test('a copy that always fails prevents no removal of another, and a failing removal prevents no copy', async () => {
  const { open, place, objects, saved } = aFarm()
  const first = open()
  await eventually(async () => expect(await states(first)).toEqual(['done']))
  const [old] = (await first.port.backups()).backups
  await first.close()
  const clock = manualClock()
  const refused = { write: true, remove: false }
  const refusing: CopyStore = {
    ...place.store,
    async write(...call) {
      if (refused.write) throw new CopyError('the copy is larger than the storage takes')
      await place.store.write(...call)
    },
    async remove(...call) {
      if (refused.remove) throw new CopyError('the key may not do this there')
      await place.store.remove(...call)
    },
  }
  saved.saveAgain()
  const next = open({ ...place, store: refusing }, { clock })
  const { id } = await next.port.makeBackup()
  await next.port.removeBackup(old?.id ?? '')
  const later = async (check: () => Promise<void>) =>
    eventually(() => {
      clock.advance(3_600_000)
      return check()
    })
  await later(async () => expect(objects()).toEqual([]))
  await later(async () => expect(await states(next)).toEqual(['failed']))
  Object.assign(refused, { write: false, remove: true })
  await later(async () => expect(objects()).toEqual([`${id}.zip`]))
  saved.saveAgain()
  const another = await next.port.makeBackup()
  await next.port.removeBackup(id)
  await later(async () => expect(objects().sort()).toEqual([`${id}.zip`, `${another.id}.zip`].sort()))
})

test('losing the index of the backups removes no copy', async () => {
  const { open, saved, objects } = aFarm()
  const first = open()
  await first.port.makeBackup()
  await eventually(async () => (await states(first)).every((state) => state === 'done'))
  await first.close()
  const copies = objects()
  unlinkSync(join(saved.folder, 'index.json'))
  writeFileSync(join(saved.folder, 'index.json'), 'torn')
  saved.saveAgain()
  const next = open()
  await next.port.makeBackup()
  await eventually(() => expect(objects().length).toBeGreaterThan(copies.length))
  await eventually(async () => !(await states(next)).includes('pending'))
  expect(objects()).toEqual(expect.arrayContaining(copies))
})

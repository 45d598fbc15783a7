/** How backups are copied off-site, also while the storage is offline. */
import { readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decrypter } from 'age-encryption'
import { expect, test } from 'vitest'
import { CopyError, type CopyStore } from '../../../services/backups/copy-store.ts'
import { backupsOf } from '../../backups/saved-farm.ts'
import { manualClock } from '../../bridges/manual-clock.ts'
import { eventually } from '../../wait.ts'
import { game } from './clover.ts'
import { copiedFarms, namesOf, states, unreliable } from './copied-farm.ts'

const aFarm = await copiedFarms()

test('each backup has an off-site copy, the archive itself: pending at first, done once it was read back', async () => {
  const { open, saved, objects, object } = aFarm()
  const backups = open()
  const made = await backups.port.makeBackup()
  expect(made.offsite).toBe('pending')
  await eventually(async () => (await states(backups)).every((state) => state === 'done'))
  expect(objects()).toEqual(await namesOf(backups))
  expect(object(`${made.id}.zip`)).toEqual(readFileSync(join(saved.folder, `${made.id}.zip`)))
  await eventually(async () => backups.copies?.counts.made === (await states(backups)).length)
})

test('without an off-site place no backup has a copy', async () => {
  const { open, saved } = aFarm()
  const backups = backupsOf(saved, game)
  expect((await backups.port.makeBackup()).offsite).toBe('none')
  expect(backups.copies).toBeUndefined()
  await backups.close()
  expect(open).toBeDefined()
})

test('backups from before a place was set are copied too, and the copies stay known after it is unset', async () => {
  const { open, saved, objects } = aFarm()
  const before = backupsOf(saved, game)
  await before.port.makeBackup()
  await before.close()
  const backups = open()
  await eventually(async () => (await states(backups)).every((state) => state === 'done'))
  expect(objects()).toEqual(await namesOf(backups))
  await backups.close()
  const after = backupsOf(saved, game)
  expect(new Set(await states(after))).toEqual(new Set(['done']))
  await after.close()
})

test('with a passphrase the copy is a file that age opens with it, and says so in its name; the backup in BACKUP_DIR is a plain zip', async () => {
  const { open, place, objects, object, saved } = aFarm()
  const passphrase = 'five random words of a list'
  const backups = open({ ...place, passphrase })
  const { id } = await backups.port.makeBackup()
  await eventually(async () => (await states(backups)).every((state) => state === 'done'))
  expect(objects()).toEqual(await namesOf(backups, '.zip.age'))
  const archive = readFileSync(join(saved.folder, `${id}.zip`))
  expect(archive.subarray(0, 2).toString()).toBe('PK')
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  expect(Buffer.from(await decrypter.decrypt(object(`${id}.zip.age`)))).toEqual(archive)
})

test('a failing copy is tried again after longer and longer waits, is reported as failed at the third time, and is made once possible', async () => {
  const { open, place, lines } = aFarm()
  const { state, store } = unreliable(place.store)
  const clock = manualClock()
  const backups = open({ ...place, store }, { clock, random: () => 1 })
  await backups.port.makeBackup()
  let asked = 0
  const askedAgain = (wait: number) => {
    asked += 1
    clock.advance(wait)
    return eventually(async () => {
      expect(state.asked).toBe(asked)
      expect(backups.copies?.counts.failed).toBe(asked)
    })
  }
  await askedAgain(0)
  expect(await states(backups)).not.toContain('failed')
  await askedAgain(5_000)
  await askedAgain(10_000)
  await eventually(async () => (await states(backups)).includes('failed'))
  await askedAgain(20_000)
  state.cause = 'the bucket in BACKUP_S3_URL does not exist (404 NoSuchBucket)'
  await askedAgain(40_000)
  clock.advance(79_000)
  expect(state.asked).toBe(asked)
  state.isOffline = false
  clock.advance(1_000)
  await eventually(async () => (await states(backups)).every((one) => one === 'done'))
  expect(lines.filter(({ level }) => level === 'warn')).toEqual(
    ['connection refused', state.cause].map((cause) => ({
      level: 'warn',
      fields: { place: '127.0.0.1:9000', cause },
      message: 'backups cannot be copied off-site: farmgate keeps trying',
    })),
  )
  await eventually(() => lines.some(({ message }) => message === 'backups are copied off-site again'))
})

test('an unreadable archive stops no copy of another', async () => {
  const { open, place, saved, objects } = aFarm()
  const before = backupsOf(saved, game)
  const broken = await before.port.makeBackup()
  saved.saveAgain()
  await before.port.makeBackup()
  await before.close()
  const clock = manualClock()
  const store: CopyStore = {
    ...place.store,
    async write(name, ...rest) {
      if (name.startsWith(broken.id)) throw new CopyError('the archive cannot be read (EIO)')
      await place.store.write(name, ...rest)
    },
  }
  const backups = open({ ...place, store }, { clock })
  await eventually(async () => {
    clock.advance(3_600_000)
    const others = (await backups.port.backups()).backups.filter(({ id }) => id !== broken.id)
    expect(others.map(({ offsite }) => offsite)).toEqual(others.map(() => 'done'))
    expect(objects()).toHaveLength(others.length)
  })
  await eventually(async () => {
    clock.advance(3_600_000)
    return (await states(backups)).filter((state) => state === 'failed').length === 1
  })
})

test('copies that are pending at the end of the process are made after the next start', async () => {
  const { open, place, objects } = aFarm()
  const begun = Promise.withResolvers<void>()
  const hanging: CopyStore = {
    ...place.store,
    write: (_name, _bytes, _content, signal) =>
      new Promise((_resolve, reject) => {
        begun.resolve()
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  }
  const backups = open({ ...place, store: hanging })
  await backups.port.makeBackup()
  await begun.promise
  await backups.close()
  expect(objects()).toEqual([])
  expect(new Set(await states(backups))).toEqual(new Set(['pending']))
  const next = open()
  await eventually(async () => (await states(next)).every((state) => state === 'done'))
  expect(objects()).toEqual(await namesOf(next))
})

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

test('a stop ends the copies also while the link of an archive leads nowhere', async () => {
  const { open, place, saved, objects } = aFarm()
  const { store, state } = unreliable(place.store)
  const clock = manualClock()
  const backups = open({ ...place, store }, { clock })
  const { id } = await backups.port.makeBackup()
  await eventually(() => expect(backups.copies?.counts.failed).toBe(1))
  const archive = join(saved.folder, `${id}.zip`)
  unlinkSync(archive)
  symlinkSync(join(saved.folder, 'unmounted.zip'), archive)
  state.isOffline = false
  clock.advance(3_600_000)
  await backups.close()
  expect(objects()).toEqual([])
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

import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import type { CopyPlace } from '../../../runtime/backups/copies.ts'
import { CopyError, type CopyStore } from '../../../runtime/backups/copy-store.ts'
import type { BackupParts, OpenBackups } from '../../../runtime/backups/open-backups.ts'
import { s3Store } from '../../../runtime/backups/s3-store.ts'
import { backupsOf, savedFarm } from '../../backups/saved-farm.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { s3Key, startS3Server } from '../../s3-server.ts'
import { eventually } from '../../wait.ts'
import { manualClock } from '../bridges/manual-clock.ts'
import { game } from './clover.ts'

const server = await startS3Server()
afterAll(() => server.stop())
let farms = 0

/** A farm with a save, and a place of its own for copies. */
function aFarm() {
  const saved = savedFarm()
  saved.save()
  farms += 1
  const prefix = `farm${farms}`
  const store = s3Store({ url: `${server.url}/${prefix}`, ...s3Key }, { now: Date.now })
  const lines: LogLine[] = []
  const place = { store, passphrase: undefined, place: '127.0.0.1:9000' }
  const closed: (() => Promise<void>)[] = []
  onTestFinished(async () => {
    for (const close of closed) await close()
    saved.remove()
  })
  return {
    saved,
    lines,
    place,
    objects: () => [...server.objects(prefix)].sort(),
    /** Starts what a process does with its backups. */
    open(elsewhere: CopyPlace | undefined = place, more: Partial<BackupParts> = {}): OpenBackups {
      const backups = backupsOf(saved, game, { elsewhere, log: recorder(lines), ...more })
      closed.push(backups.close)
      return backups
    },
  }
}

const states = async ({ port }: OpenBackups) => (await port.backups()).backups.map((one) => one.elsewhere)
const namesOf = async ({ port }: OpenBackups, end = '.zip') =>
  (await port.backups()).backups.map(({ id }) => id + end).sort()

/** Storage that can be away, and counts how often it is asked to store. */
function unreliable(store: CopyStore) {
  const state = { cause: 'connection refused', isAway: true, asked: 0 }
  const unlessAway = () => {
    if (state.isAway) throw new CopyError(state.cause)
  }
  return {
    state,
    store: {
      ...store,
      async write(...call) {
        state.asked += 1
        unlessAway()
        await store.write(...call)
      },
      async remove(...call) {
        unlessAway()
        await store.remove(...call)
      },
    } satisfies CopyStore,
  }
}

test('each backup has a copy elsewhere: pending at first, done when it was read back', async () => {
  const { open, objects } = aFarm()
  const backups = open()
  const made = await backups.port.makeBackup()
  expect(made.elsewhere).toBe('pending')
  await eventually(async () => (await states(backups)).every((state) => state === 'done'))
  expect(objects()).toEqual(await namesOf(backups))
  await eventually(async () => backups.copies?.counts.made === (await states(backups)).length)
})

test('without a place elsewhere no backup has a copy', async () => {
  const { open, saved } = aFarm()
  const backups = backupsOf(saved, game)
  expect((await backups.port.makeBackup()).elsewhere).toBe('none')
  expect(backups.copies).toBeUndefined()
  await backups.close()
  expect(open).toBeDefined()
})

test('backups from before a place was set are copied too, and the copies stay known when it is set no more', async () => {
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

test('with a passphrase the copy is encrypted, and the backup in BACKUP_DIR is a plain zip', async () => {
  const { open, place, objects, saved } = aFarm()
  const backups = open({ ...place, passphrase: 'five random words of a list' })
  const { id } = await backups.port.makeBackup()
  await eventually(async () => (await states(backups)).every((state) => state === 'done'))
  expect(objects()).toEqual(await namesOf(backups, '.zip.age'))
  expect(
    readFileSync(join(saved.folder, `${id}.zip`))
      .subarray(0, 2)
      .toString(),
  ).toBe('PK')
})

test('a copy that fails is tried again after longer and longer waits, is told as failed at the third time, and made when it can be', async () => {
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
  state.isAway = false
  clock.advance(1_000)
  await eventually(async () => (await states(backups)).every((one) => one === 'done'))
  expect(lines.filter(({ level }) => level === 'warn')).toEqual(
    ['connection refused', state.cause].map((cause) => ({
      level: 'warn',
      fields: { place: '127.0.0.1:9000', cause },
      message: 'backups cannot be copied elsewhere: it is tried again',
    })),
  )
  await eventually(() => lines.some(({ message }) => message === 'backups are copied elsewhere again'))
})

test('an archive that cannot be read keeps no other from being copied', async () => {
  const { open, place, saved, objects } = aFarm()
  const before = backupsOf(saved, game)
  const broken = await before.port.makeBackup()
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
    expect(others.map(({ elsewhere }) => elsewhere)).toEqual(others.map(() => 'done'))
    expect(objects()).toHaveLength(others.length)
  })
  await eventually(async () => {
    clock.advance(3_600_000)
    return (await states(backups)).filter((state) => state === 'failed').length === 1
  })
})

test('what is pending when the process ends is copied after the next start', async () => {
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
  const { id } = await second.port.makeBackup()
  await eventually(() => objects().length === 2)
  await second.port.removeBackup(id)
  await eventually(async () => expect(objects()).toEqual(await namesOf(second)))
})

test('a copy whose backup was removed while the storage was away is removed after the next start', async () => {
  const { open, place, objects, saved } = aFarm()
  const first = open()
  await first.port.makeBackup()
  await eventually(async () => (await states(first)).every((state) => state === 'done'))
  await first.close()
  const away = open({ ...place, store: unreliable(place.store).store })
  for (const { id } of (await away.port.backups()).backups) await away.port.removeBackup(id)
  await away.close()
  expect(objects()).not.toEqual([])
  // The save has a new backup at the next start; the copies of the old ones go.
  const old = objects()
  saved.save({ date: { season: 'summer', day: 6, year: 1 } })
  const next = open()
  await eventually(async () => {
    expect(objects()).toEqual(await namesOf(next))
    expect(objects().filter((name) => old.includes(name))).toEqual([])
  })
})

test('a backup that is removed while it is copied leaves no copy', async () => {
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

test('an index of the backups that is lost removes no copy', async () => {
  const { open, saved, objects } = aFarm()
  const first = open()
  await first.port.makeBackup()
  await eventually(async () => (await states(first)).every((state) => state === 'done'))
  await first.close()
  const copies = objects()
  unlinkSync(join(saved.folder, 'index.json'))
  writeFileSync(join(saved.folder, 'index.json'), 'torn')
  const next = open()
  await next.port.makeBackup()
  await eventually(() => expect(objects().length).toBeGreaterThan(copies.length))
  await eventually(async () => !(await states(next)).includes('pending'))
  expect(objects()).toEqual(expect.arrayContaining(copies))
})

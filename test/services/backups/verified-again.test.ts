/** Backups are read again: before each is copied off-site, and every week. */
import { expect, test } from 'vitest'
import { damage } from '../../backups/damaged-backup.ts'
import { manualClock } from '../../bridges/manual-clock.ts'
import { eventually } from '../../wait.ts'
import { aFarm, states } from './copied-farm.ts'
import { summer, watchedFarm } from './watched-farm.ts'

const day = 86_400_000

test('a flipped bit is found within a week: the backup is no longer verified, and log and webhook report it once', async () => {
  const reasons: string[] = []
  const { farm, controls, clock, log, open } = watchedFarm({
    onFailed: (reason) => void reasons.push(reason),
  })
  const backups = open()
  farm.save()
  controls.day(summer(5))
  await eventually(async () => expect(await backups.days()).toEqual([5]))
  const [made] = await backups.list()
  const id = made?.id ?? ''
  damage(farm.folder, id)
  for (let passed = 0; passed < 6; passed += 1) clock.advance(day)
  expect((await backups.list())[0]?.verifiedAt).toBe(made?.verifiedAt)
  await eventually(async () => {
    clock.advance(day)
    expect((await backups.list()).map((one) => [one.id, one.verifiedAt])).toEqual([[id, undefined]])
  })
  clock.advance(day)
  await backups.close()
  expect(reasons).toEqual([`the backup ${id} is damaged`])
  expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
    { message: 'a backup is damaged: it cannot be restored', fields: { id } },
  ])
})

test('a valid backup is verified again every week, and keeps its age', async () => {
  const { farm, clock, open } = watchedFarm()
  const backups = open()
  farm.save()
  const { verifiedAt, madeAt } = await backups.port.makeBackup()
  await eventually(async () => {
    clock.advance(8 * day)
    expect((await backups.list())[0]?.verifiedAt).not.toBe(verifiedAt)
  })
  expect((await backups.port.backups()).state.lastVerifiedAt).toBe(madeAt)
})

test('a damaged archive is not copied off-site, and the alarm is raised', async () => {
  const { open, place, saved, objects } = aFarm()
  const reasons: string[] = []
  const before = open({ ...place, store: { ...place.store, write: () => Promise.reject(new Error('no')) } })
  const { id } = await before.port.makeBackup()
  await before.close()
  damage(saved.folder, id)
  saved.saveAgain()
  const next = open(place, {
    clock: manualClock(Date.now()),
    onFailed: (reason) => void reasons.push(reason),
  })
  await next.port.makeBackup()
  await eventually(async () =>
    expect(await states(next)).toEqual(['done', expect.not.stringMatching('done')]),
  )
  expect(objects()).not.toContain(`${id}.zip`)
  expect(reasons).toEqual([`the backup ${id} is damaged`])
})

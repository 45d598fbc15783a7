/** The owners of farmhands, from a file that a hostile game may have written. */
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { saveName } from '../../../bridges/simulated/save-files.ts'
import { neverSeen } from '../../../handlers/game-records.ts'
import { ownersIn, ownersOf } from '../../../services/saves/owners.ts'
import { clover, savedFarm } from '../../backups/saved-farm.ts'

const steam = { Platform: 'steam', Id: '76561198000000001', Origin: 'claim' }
const text = (farmhands: unknown) => JSON.stringify({ Farmhands: farmhands })

test('a farmhand has the account at Steam or GOG Galaxy that the file names; a released one has none', () => {
  const owners = ownersIn(
    text({
      '6208260877024290921': steam,
      '-9223372036854775807': { Platform: 'galaxy', Id: '46', Origin: 'operator' },
      '3': { Platform: 'released', Id: '', Origin: 'operator' },
    }),
  )
  expect([...(owners ?? [])]).toEqual([
    [6208260877024290921n, { platform: 'steam', id: '76561198000000001' }],
    [-9223372036854775807n, { platform: 'galaxy', id: '46' }],
  ])
})

test('entries that are not understood are left out, and the others are read', () => {
  const owners = ownersIn(
    text({
      1: steam,
      2: { Platform: 'xbox', Id: '1' },
      3: { ...steam, Id: 'abby' },
      4: { ...steam, Id: 5 },
      5: null,
      abby: steam,
      '99999999999999999999999': steam,
      __proto__: steam,
    }),
  )
  expect([...(owners?.keys() ?? [])]).toEqual([1n])
})

test.each([
  '',
  '{',
  '[]',
  'null',
  '{"Farmhands":[]',
  '{"Farmhands":7}',
  '{"Version":2,"Owners":{}}',
  '\0'.repeat(99),
])('a file that is torn or of an unknown version has no owners: %j', (content) =>
  expect(ownersIn(content)).toBeUndefined(),
)

function setting() {
  const saved = savedFarm()
  onTestFinished(() => saved.remove())
  saved.save()
  const state = { farmName: 'Clover', now: 0 }
  const file = join(saved.saves, saveName(clover), 'farmhand-ownership.json')
  const status = async () => ({ ...neverSeen, farmName: state.farmName, ...clover.date })
  return { saved, state, file, owners: ownersOf(saved.savesDir, status, () => state.now) }
}

test('without SAVES_DIR and without the file there are no owners', async () => {
  const { owners } = setting()
  expect([...(await owners())]).toEqual([])
  expect([
    ...(await ownersOf(
      undefined,
      async () => neverSeen,
      () => 0,
    )()),
  ]).toEqual([])
})

test('they are the same object until the file changes', async () => {
  const { owners, file } = setting()
  writeFileSync(file, text({ 1: steam }))
  const first = await owners(true)
  expect(await owners(true)).toBe(first)
  writeFileSync(file, text({ 2: steam }))
  expect([...(await owners()).keys()]).toEqual([1n])
  expect([...(await owners(true)).keys()]).toEqual([2n])
})

const hostile: readonly [string, (file: string) => void][] = [
  ['torn', (file) => writeFileSync(file, '{"Farmhands":{"2":{"Plat')],
  ['of an unknown version', (file) => writeFileSync(file, '{"Version":9}')],
  ['larger than 1 MiB', (file) => writeFileSync(file, text({ 2: steam }).padEnd(2_000_000))],
  [
    'a link to another file',
    (file) => {
      renameSync(file, `${file}.other`)
      writeFileSync(`${file}.other`, text({ 2: steam }))
      symlinkSync(`${file}.other`, file)
    },
  ],
  [
    'a pipe',
    (file) => {
      rmSync(file)
      execFileSync('mkfifo', [file])
    },
  ],
]

test.each(hostile)('a file that is %s changes nothing', async (_what, spoil) => {
  const { owners, file } = setting()
  writeFileSync(file, text({ 1: steam }))
  await owners(true)
  spoil(file)
  expect([...(await owners(true)).keys()]).toEqual([1n])
})

test('the owners of one save are never those of another', async () => {
  const { saved, owners, file, state } = setting()
  writeFileSync(file, text({ 1: steam }))
  await owners(true)
  const thistle = { farmName: 'Thistle', farmId: 42 }
  saved.save(thistle)
  writeFileSync(join(saved.saves, 'Thistle_42', 'farmhand-ownership.json'), '{')
  state.farmName = 'Thistle'
  expect([...(await owners(true))]).toEqual([])
})

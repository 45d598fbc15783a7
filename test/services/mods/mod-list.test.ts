/** The list of the mods, in real folders, which can be hostile. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inMemory, newFolder } from '../../new-folder.ts'
import {
  failureOf,
  filesIn,
  folders,
  install,
  manifestOf,
  shown,
  type TestManifest,
  zipOf,
} from './farm-mods.ts'

describe('the list', () => {
  test('reads manifests with comments, trailing commas, a byte order mark and members in any case', async () => {
    const farm = folders()
    farm.put(
      'Seeds',
      `\uFEFF{ // comment
        "name": "More /* not a comment */ Seeds", "AUTHOR": "Abby", "version": "1.2-beta.3", /* two
        lines */ "uniqueId": "Abby.Seeds", "Description": "Seeds\\nfor all",
        "contentPackFor": { "uniqueID": "Robin.Packs", "minimumVersion": "2.0", },
        "dependencies": [ { "UniqueID": "Lewis.Opt", "isRequired": false, }, ], }`,
    )
    const { port } = farm.open()
    expect(await port.mods()).toEqual({
      mods: [
        {
          id: 'Abby.Seeds',
          folder: 'Seeds',
          name: 'More /* not a comment */ Seeds',
          version: '1.2-beta.3',
          author: 'Abby',
          description: 'Seeds for all',
          enabled: true,
          kind: 'content',
          contentFor: 'Robin.Packs',
          dependencies: [{ id: 'Lewis.Opt', required: false, state: 'missing' }],
          side: 'unknown',
          problems: [
            {
              code: 'dependency_missing',
              of: 'Robin.Packs',
              message: 'It needs Robin.Packs, which is not installed',
            },
          ],
        },
      ],
      restartNeeded: false,
      access: 'rw',
    })
  })

  test('finds mods in folders of folders, and none in the folder of a mod', async () => {
    const farm = folders()
    farm.put('Group/Sub/One', { id: 'A.One' })
    farm.put('Two', { id: 'A.Two' })
    farm.put('Two/assets', { id: 'A.Inner' })
    farm.write('Mods/Group/README.txt', 'read me')
    farm.put('Off', { id: 'A.Off' }, 'off')
    const { mods } = await farm.open().port.mods()
    expect(mods.map(({ id, folder, enabled }) => [id, folder, enabled])).toEqual([
      ['A.Off', 'Off', false],
      ['A.One', 'Group/Sub/One', true],
      ['A.Two', 'Two', true],
    ])
  })

  test('shows a folder with a dot before its name as disabled, because the game skips it', async () => {
    const farm = folders()
    farm.put('.Hidden', { id: 'A.Hidden' })
    const { port } = farm.open()
    expect(await shown(port, 'A.Hidden')).toMatchObject({ folder: '.Hidden', enabled: false, problems: [] })
    expect(await port.enableMod('A.Hidden')).toBe(true)
    expect(await shown(port, 'A.Hidden')).toMatchObject({ folder: 'Hidden', enabled: true })
  })

  test.each<[string, string, string]>([
    ['no JSON', '{', 'manifest.json is not JSON'],
    ['JSON that is nested too deep', '['.repeat(100_000), 'manifest.json is not JSON'],
    [
      'no id',
      manifestOf({ id: 'A.B', more: { UniqueID: undefined } }),
      'manifest.json has no valid UniqueID',
    ],
    ['an id with other characters', manifestOf({ id: 'A B' }), 'manifest.json has no valid UniqueID'],
    [
      'a version with a leading zero',
      manifestOf({ id: 'A.B', version: '1.02.0' }),
      'manifest.json has no valid Version',
    ],
    [
      'neither code nor content',
      manifestOf({ id: 'A.B', more: { EntryDll: '' } }),
      'manifest.json must have either EntryDll or ContentPackFor',
    ],
    ['more than 256 KiB', ' '.repeat(300_000), 'manifest.json has more than 262144 bytes'],
  ])('a manifest with %s is a problem of the folder, which is then its id', async (_what, text, message) => {
    const farm = folders()
    farm.put('Broken', text)
    expect((await farm.open().port.mods()).mods).toMatchObject([
      { id: 'Broken', name: 'Broken', version: '', problems: [{ code: 'bad_manifest', message }] },
    ])
  })

  test('a folder with files and without a manifest is a problem, an empty one is not', async () => {
    const farm = folders()
    farm.write('Mods/Textures/flowers.xnb', 'x')
    mkdirSync(join(farm.dir, 'Empty'))
    expect((await farm.open().port.mods()).mods).toMatchObject([
      { id: 'Textures', problems: [{ code: 'no_manifest' }] },
    ])
  })

  test.each<[TestManifest['needs'], string, string]>([
    [['B.There'], 'ok', ''],
    [['b.THERE'], 'ok', ''],
    [['SMAPI.ConsoleCommands'], 'ok', ''],
    [['B.Gone'], 'missing', 'dependency_missing'],
    [['B.Off'], 'disabled', 'dependency_disabled'],
    [[{ UniqueID: 'B.There', MinimumVersion: '1.5.1' }], 'too_old', 'dependency_too_old'],
    [[{ UniqueID: 'B.There', MinimumVersion: '1.5.0-beta' }], 'ok', ''],
    [[{ UniqueID: 'B.There', MinimumVersion: '1.5' }], 'ok', ''],
    [[{ UniqueID: 'B.There', MinimumVersion: '1.5.1', IsRequired: false }], 'too_old', 'dependency_too_old'],
    [[{ UniqueID: 'B.Gone', IsRequired: false }], 'missing', ''],
  ])('a mod that needs %j has the dependency %s', async (needs, state, code) => {
    const farm = folders()
    farm.put('There', { id: 'B.There', version: '1.5.0' })
    farm.put('Off', { id: 'B.Off' }, 'off')
    farm.put('Mod', { id: 'A.Mod', needs: needs ?? [] })
    const { dependencies, problems } = await shown(farm.open().port, 'A.Mod')
    expect([dependencies[0]?.state, problems.map((one) => one.code).join()]).toEqual([state, code])
  })

  test('two enabled folders with one mod are a problem of both, a disabled copy is none', async () => {
    const farm = folders()
    farm.put('One', { id: 'A.Mod' })
    farm.put('Copy', { id: 'a.mod' }, 'off')
    const { port } = farm.open()
    expect((await port.mods()).mods.flatMap(({ problems }) => problems)).toEqual([])
    farm.put('Two', { id: 'A.MOD' })
    const { mods } = await port.mods()
    expect(mods.filter(({ enabled }) => enabled)).toMatchObject([
      { folder: 'One', problems: [{ code: 'duplicate', of: 'Two' }] },
      { folder: 'Two', problems: [{ code: 'duplicate', of: 'One' }] },
    ])
    expect(await failureOf(port.disableMod('A.Mod', false))).toMatchObject({
      kind: 'invalid_argument',
      parameter: 'id',
      sentence: expect.stringContaining('One, Two'),
    })
    expect(await port.deleteMod('Two', false)).toBe(true)
    expect((await port.mods()).mods.flatMap(({ problems }) => problems)).toEqual([])
  })
})

describe('a hostile folder', () => {
  test('links, FIFOs and devices are not followed or waited for', async () => {
    const farm = folders()
    farm.write('secret/manifest.json', manifestOf({ id: 'Secret.Mod' }))
    symlinkSync(join(farm.root, 'secret'), join(farm.dir, 'Linked'))
    mkdirSync(join(farm.dir, 'Fifo'))
    execFileSync('mkfifo', [join(farm.dir, 'Fifo', 'manifest.json')])
    mkdirSync(join(farm.dir, 'LinkedFile'))
    symlinkSync(join(farm.root, 'secret', 'manifest.json'), join(farm.dir, 'LinkedFile', 'manifest.json'))
    const { mods } = await farm.open().port.mods()
    expect(mods).toMatchObject([
      { id: 'Fifo', problems: [{ code: 'bad_manifest', message: 'manifest.json is not a regular file' }] },
      { id: 'LinkedFile', problems: [{ code: 'bad_manifest' }] },
    ])
    expect(JSON.stringify(mods)).not.toContain('Secret')
  })

  test('a manifest of 1 GB is not read', async () => {
    const farm = folders()
    farm.put('Huge', '')
    spawnSync('truncate', ['-s', '1G', join(farm.dir, 'Huge', 'manifest.json')])
    expect((await farm.open().port.mods()).mods).toMatchObject([{ problems: [{ code: 'bad_manifest' }] }])
  })

  test('of 1100 mods and 20,000 other files the list has at most 1000, and says that it is incomplete', async () => {
    // In memory, where many files are made quickly.
    const dir = newFolder(inMemory)
    for (let at = 0; at < 1100; at += 1) {
      mkdirSync(join(dir, `F${at}`))
      writeFileSync(join(dir, `F${at}`, 'manifest.json'), '{}')
    }
    const { port } = folders().open({ dir })
    const { mods, incomplete } = await port.mods()
    expect([mods.length, incomplete]).toEqual([1000, true])
    for (let at = 0; at < 20_000; at += 1) writeFileSync(join(dir, `f${at}`), '')
    expect(await port.mods()).toMatchObject({ incomplete: true })
  })

  const many = (manifestAt: (at: number) => TestManifest) => {
    const dir = newFolder(inMemory)
    for (let at = 0; at < 1000; at += 1) {
      mkdirSync(join(dir, `F${at}`))
      writeFileSync(join(dir, `F${at}`, 'manifest.json'), manifestOf(manifestAt(at)))
    }
    return folders().open({ dir }).port.mods()
  }

  test('callers at one time share one list, and the next one shows what has changed since', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    const { port } = farm.open()
    const [first, second] = await Promise.all([port.mods(), port.mods()])
    expect(second).toBe(first)
    expect(await port.setModSide('A.Mod', 'players')).toBe(true)
    expect((await port.mods()).mods).toMatchObject([{ side: 'players' }])
  })

  test('1,000 mods with one id show their first problems and count the others', async () => {
    const list = await many(() => ({ id: 'A.Mod', needs: [{ UniqueID: 'a.mod', MinimumVersion: '2.0.0' }] }))
    expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThan(8 * 1024 ** 2)
    expect(list.mods.length).toBe(1000)
    for (const { problems, moreProblems = 0 } of list.mods) {
      expect(problems[0]?.code).toBe('duplicate')
      expect(problems.length + moreProblems).toBe(1000)
    }
  })

  test('1,000 mods with 200 missing dependencies each show the first of them and count the others', async () => {
    const needs = Array.from({ length: 200 }, (_, at) => `B.${at}`.padEnd(128, 'x'))
    const list = await many((at) => ({ id: `A.${at}`, needs }))
    expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThan(8 * 1024 ** 2)
    expect([list.mods.length, list.incomplete]).toEqual([1000, undefined])
    for (const { problems, moreProblems = 0, dependencies, moreDependencies = 0 } of list.mods) {
      expect([problems.length > 0, problems.length + moreProblems]).toEqual([true, 200])
      expect(dependencies.length + moreDependencies).toBe(200)
    }
  })

  test('manifests with more than 32 MiB together are not all read', async () => {
    const list = await many((at) => ({ id: `A.${at}`, more: { Other: 'x'.repeat(100_000) } }))
    expect([list.mods.length < 400, list.incomplete]).toEqual([true, true])
  })

  test('names with control characters are left out', async () => {
    const farm = folders()
    farm.put('Good', { id: 'A.Good', more: { Name: 'A\u001b[31m\u202EB' } })
    mkdirSync(join(farm.dir, 'bad\u001bname'))
    writeFileSync(join(farm.dir, 'bad\u001bname', 'manifest.json'), manifestOf({ id: 'A.Bad' }))
    expect((await farm.open().port.mods()).mods.map(({ name }) => name)).toEqual(['A [31m B'])
  })

  test('a link in place of MODS_OFF_DIR among the mods is not followed, and no mod leaves the folder', async () => {
    const farm = folders()
    farm.put('Mod', { id: 'A.Mod' })
    farm.write('secret/file', 'x')
    symlinkSync(join(farm.root, 'secret'), join(farm.dir, '.off'))
    const { port } = farm.open({ offDir: join(farm.dir, '.off') })
    expect(await failureOf(port.disableMod('A.Mod', false))).toMatchObject({ kind: 'disk_failed' })
    expect(Object.keys(filesIn(join(farm.root, 'secret')))).toEqual(['file'])
    expect((await port.mods()).mods).toMatchObject([{ id: 'A.Mod', enabled: true }])
  })

  test.each(['constructor', '__proto__'])('a mod with the id %s is one like others', async (id) => {
    const farm = folders()
    farm.put('Mod', { id })
    farm.put('Needs', { id: 'A.Needs', needs: [id] })
    expect((await shown(farm.open().port, id)).side).toBe('unknown')
    expect(await farm.open().port.setModSide(id, 'server')).toBe(true)
    expect((await shown(farm.open().port, id)).side).toBe('server')
    expect((await shown(farm.open().port, 'A.Needs')).dependencies).toMatchObject([{ id, state: 'ok' }])
  })

  test.each(['../../escape', '/tmp/escape', '.farmgate-mods/x', 'a//b'])(
    'a planted journal that moves to %j is ignored',
    async (to) => {
      const farm = folders()
      farm.write('Mods/.farmgate-mods/journal.json', JSON.stringify({ moves: [{ place: 'on', to }] }))
      farm.write('Mods/.farmgate-mods/new-0/manifest.json', manifestOf({ id: 'Evil.Mod' }))
      const { port } = farm.open()
      await install(port, zipOf({ Mod: { id: 'A.Mod' } }))
      expect(Object.keys(filesIn(farm.root)).filter((path) => !path.startsWith('data/'))).toEqual([
        'Mods/Mod/Mod.dll',
        'Mods/Mod/manifest.json',
      ])
    },
  )
})

/** `farmgate mods` with a real server. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeServer } from '../runtime/node/node-server.ts'
import { farmMods, zipOf } from '../services/mods/farm-mods.ts'
import { at, newFolder, run } from './farmgate.ts'

test('mods are installed from a zip, listed, disabled, enabled and removed by their id, and packed', async () => {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  const folder = newFolder()
  const mods = (...args: string[]) => run(['mods', ...args], at(server))
  const zip = join(folder, 'mods.zip')
  writeFileSync(zip, zipOf({ Base: { id: 'C.Base' }, Pack: { id: 'C.Pack', contentFor: 'C.Base' } }))
  expect((await mods()).stderr).toBe('No mods yet.\n')
  expect(await mods('install', join(folder, 'none.zip'))).toMatchObject({ code: 1 })
  const installed = await mods('install', zip)
  expect(installed).toMatchObject({ code: 0, stderr: '' })
  expect(installed.stdout).toContain('installed Base 1.0.0\ninstalled Pack 1.0.0\n')
  expect((await mods('install', zip)).stdout).toContain('replaced Base 1.0.0\n')
  expect(await mods('disable', 'C.Base')).toMatchObject({ code: 3, stdout: '' })
  expect((await mods('disable', 'C.Base', '--force')).stdout).toBe('C.Base is disabled\n')
  expect((await mods()).stdout).toMatch(/^Pack +C\.Pack +1\.0\.0 +on +It needs C\.Base, which is disabled$/m)
  expect((await mods('enable', 'C.Base')).code).toBe(0)
  const { mods: all } = JSON.parse((await mods('--json')).stdout)
  expect(all).toMatchObject([{ id: 'C.Base', problems: [] }, { id: 'C.Pack' }])
  expect(await mods('remove', 'C.Pack')).toMatchObject({ code: 2, stdout: '' })
  expect((await mods('remove', 'C.Pack', '--yes')).stdout).toBe('C.Pack is deleted\n')
  expect((await mods('remove', 'C.Pack', '--yes')).code).toBe(4)
  const [link = ''] = (await mods('pack', '7')).stdout.split('\n')
  const response = await fetch(link)
  expect(response.headers.get('content-type')).toBe('application/zip')
  await response.body?.cancel()
  const { links } = JSON.parse((await mods('links', '--json')).stdout)
  expect(links).toMatchObject([{ by: { id: 'api_key' } }])
  expect((await mods('links')).stdout).toContain(links[0].id)
  expect((await mods('revoke', links[0].id)).stdout).toBe(`Pack link ${links[0].id} is revoked\n`)
  expect((await fetch(link)).status).toBe(404)
})

test('a mod with many problems is listed with the first of them and the number of the others', async () => {
  const folder = farmMods()
  onTestFinished(folder.remove)
  folder.put('Mod', { id: 'A.Mod', needs: Array.from({ length: 200 }, (_, at) => ({ UniqueID: `B.${at}` })) })
  const server = await nodeServer({ server: { mods: folder.open().port } })
  onTestFinished(() => server.stop())
  const listed = await run(['mods', '--json'], at(server))
  const [{ problems, moreProblems }] = JSON.parse(listed.stdout).mods
  expect(problems.length + moreProblems).toBe(200)
  expect((await run(['mods'], at(server))).stdout).toContain(`; and ${moreProblems} more\n`)
})

/** Backups from the command line. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, run } from './farmgate.ts'

const server = sharedServer(nodeServer)

test('a backup is made, listed, fetched where a download broke off, and deleted', async () => {
  const { saved } = server()
  saved.save({ farmName: 'Junimo', bytes: 3_000_000 })
  const made = await run(['backups', 'make', '--json'], at(server()))
  expect(made.code).toBe(0)
  const { id } = JSON.parse(made.stdout)
  expect((await run(['backups'], at(server()))).stdout).toContain(id)
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-download-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const to = join(folder, 'clover.zip')
  const archive = readFileSync(join(saved.folder, `${id}.zip`))
  writeFileSync(`${to}.part`, archive.subarray(0, 1000))
  expect((await run(['backups', 'download', id, '--to', to], at(server()))).code).toBe(0)
  expect(readFileSync(to).equals(archive)).toBe(true)
  expect(existsSync(`${to}.part`)).toBe(false)
  expect((await run(['backups', 'delete', id, '--yes'], at(server()))).code).toBe(0)
  expect((await run(['backups', 'delete', id, '--yes'], at(server()))).code).toBe(4)
  expect((await run(['backups', 'download', id], at(server()))).code).toBe(4)
})

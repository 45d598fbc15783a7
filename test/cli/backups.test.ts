/** Backups from the command line. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { portOf } from '../port-of.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, newFolder, run } from './farmgate.ts'
import { savedAtRest } from './saved-at-rest.ts'

const server = sharedServer(nodeServer)

test('a backup is made, listed, fetched after an interrupted download, and deleted', async () => {
  const { saved } = server()
  saved.save({ farmName: 'Junimo', bytes: 3_000_000 })
  const made = await run(['backups', 'make', '--json'], at(server()))
  expect(made.code).toBe(0)
  const { id } = JSON.parse(made.stdout)
  expect((await run(['backups'], at(server()))).stdout).toContain(id)
  const folder = newFolder()
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

/**
 * Serves an archive of a thousand bytes. It sends half of them, closes the connection once they are on the disk, and
 * sends the rest on request.
 */
async function breakingOff(part: string): Promise<string> {
  const server = createServer(({ url = '', headers: { range } }, response) => {
    if (url === '/backups') {
      const backup = { id: 'Yew-1', season: 'fall', day: 5, year: 1, bytes: 1000 }
      return response.end(JSON.stringify({ backups: [backup], state: {} }))
    }
    if (range === 'bytes=500-')
      return response.writeHead(206, { 'content-range': 'bytes 500-999/1000' }).end('b'.repeat(500))
    response.writeHead(200, { 'content-length': 1000 })
    response.write('a'.repeat(500))
    return eventually(() => expect(statSync(part).size).toBe(500)).finally(() => response.destroy())
  })
  return `http://127.0.0.1:${await portOf(server)}`
}

test('an interrupted download says that the same command resumes it, and it does', async () => {
  const to = join(newFolder(), 'yew.zip')
  const FARMGATE_URL = await breakingOff(`${to}.part`)
  const download = () => run(['backups', 'download', 'Yew-1', '--to', to], { FARMGATE_URL })
  expect(await download()).toEqual({
    code: 5,
    stdout: '',
    stderr:
      'farmgate: The download stopped after 0.5 kB of 1.0 kB.\nType the same command again to resume.\n',
  })
  expect((await download()).code).toBe(0)
  expect(readFileSync(to, 'utf8')).toBe('a'.repeat(500) + 'b'.repeat(500))
})

test('a download that cannot write its file names the file and says what to do', async () => {
  server().saved.save({ farmName: 'Junimo', bytes: 1000 })
  const { id } = JSON.parse((await run(['backups', 'make', '--json'], at(server()))).stdout)
  const to = join(newFolder(), 'none', 'yew.zip')
  expect(await run(['backups', 'download', id, '--to', to], at(server()))).toEqual({
    code: 1,
    stdout: '',
    stderr: `farmgate: ${to}.part cannot be written: ENOENT.\nCheck its folder and the rights of it, or give another file: --to <file>.\n`,
  })
})

/** A backup of the current day, while no one is connected. */
async function backedUp(): Promise<string> {
  await savedAtRest(server())
  return JSON.parse((await run(['backups', 'make', '--json'], at(server()))).stdout).id
}

test('restore shows what would be lost, restores, and names the copy of the save from before', async () => {
  const id = await backedUp()
  const dry = await run(['restore', id, '--dry-run'], at(server()))
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringMatching(/^Junimo, .* would be restored; /)])
  const done = await run(['restore', id, '--yes'], at(server()))
  const listed = await run(['backups', '--json'], at(server()))
  const [safety] = JSON.parse(listed.stdout).backups
  expect(safety).toMatchObject({ reason: 'before_restore' })
  expect([done.code, done.stdout]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(`^Junimo, .* is restored; .*\\nThe backup of the save that was replaced: ${safety.id}\\n$`),
    ),
  ])
})

test('restore without a terminal changes nothing unless --yes is given', async () => {
  const id = await backedUp()
  const before = (await run(['backups', '--json'], at(server()))).stdout
  const asked = await run(['restore', id], at(server()))
  expect(asked.code).toBe(2)
  expect((await run(['backups', '--json'], at(server()))).stdout).toBe(before)
})

test('restore of an unknown backup ends with 4, and while players are connected with 3', async () => {
  const id = await backedUp()
  expect((await run(['restore', 'nothing', '--yes'], at(server()))).code).toBe(4)
  await server().farm.join({ id: 4711n, name: 'Abby' })
  await eventually(async () => expect((await run(['restore', id, '--yes'], at(server()))).code).toBe(3))
})

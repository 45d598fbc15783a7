/** Named keys and the audit. */
import { expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, inTerminal, run } from './farmgate.ts'

const server = sharedServer(nodeServer)

test('a key that was created may do what its scopes allow, and nothing after it was revoked', async () => {
  const created = await run(['keys', 'create', 'Panel', '--scope', 'read', '--days', '30'], at(server()))
  expect(created.code).toBe(0)
  const key = created.stdout.trim()
  expect(key).toMatch(/^fg_\w+_[\w-]+$/)
  const own = { FARMGATE_URL: server().url, FARMGATE_KEY: key }
  expect((await run(['players'], own)).code).toBe(0)
  expect((await run(['time', '1200'], own)).code).toBe(3)
  const listed = await run(['keys'], at(server()))
  const id = /^Panel +(\w+) +read/m.exec(listed.stdout)?.[1] ?? ''
  const { type, sees, exit } = inTerminal(['keys', 'revoke', id], at(server()))
  await sees('Type Panel to go on: ')
  type('Panel\r')
  expect(await exit).toBe(0)
  expect((await run(['players'], own)).code).toBe(3)
  expect((await run(['keys', 'revoke', id, '--yes'], at(server()))).code).toBe(4)
})

test('a scope that is none is wrong usage', async () => {
  expect(await run(['keys', 'create', 'x', '--scope', 'all'], at(server()))).toMatchObject({
    code: 2,
    stdout: '',
  })
})

test('audit shows who changed what, and --action only one operation', async () => {
  await run(['time', '1300'], at(server()))
  await run(['rendering', '10'], at(server()))
  const { stdout } = await run(['audit', '--action', 'setTime'], at(server()))
  expect(stdout).toMatch(/ API_KEY +setTime +done +\{"value":"1300"\}/)
  expect(stdout).not.toContain('setRendering')
  expect(JSON.parse((await run(['audit', '--json'], at(server()))).stdout).entries.length).toBeGreaterThan(1)
})

test('audit says that no row matches, and that --key takes an id, when a filter finds nothing', async () => {
  const byName = await run(['audit', '--key', 'Panel'], at(server()))
  expect(byName.code).toBe(0)
  expect(byName.stdout).toContain('No row matches. --key is an id')
  const byAction = await run(['audit', '--action', 'reloadWorld'], at(server()))
  expect(byAction.stdout).toBe('No row matches.\n')
})

/** Questions at a terminal. */
import { expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, run } from './farmgate.ts'

const server = sharedServer(nodeServer)

/** A farmhand whose player has left. @returns whether it is still there */
async function leaver(id: bigint, name: string) {
  await server().farm.join({ id, name })
  await server().farm.leave(id)
  return async () => (await run(['farmhands', '--json'], at(server()))).stdout.includes(`"name":"${name}"`)
}

test('delete asks for the name of the farmhand, and deletes it when it is typed', async () => {
  const isThere = await leaver(101n, 'Leaver')
  const { type, sees, exit } = inTerminal(['farmhands', 'delete', 'leaver'], at(server()))
  await sees('This deletes the farmhand Leaver')
  await sees('Type Leaver to go on: ')
  type('Leaver\r')
  expect(await exit).toBe(0)
  await eventually(async () => expect(await isThere()).toBe(false))
})

test('delete with another name typed changes nothing, and ends with 1', async () => {
  const isThere = await leaver(102n, 'Stayer')
  const { type, sees, exit } = inTerminal(['farmhands', 'delete', 'Stayer'], at(server()))
  await sees('Type Stayer to go on: ')
  type('yes\r')
  await sees('nothing was changed')
  expect(await exit).toBe(1)
  expect(await isThere()).toBe(true)
})

test('delete where nobody can be asked changes nothing without --yes', async () => {
  const isThere = await leaver(103n, 'Piped')
  const refused = await run(['farmhands', 'delete', 'Piped'], at(server()), 'Piped\n')
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toMatch(/Add --yes/)
  expect(await isThere()).toBe(true)
  expect((await run(['farmhands', 'delete', 'Piped', '--yes'], at(server()))).code).toBe(0)
  await eventually(async () => expect(await isThere()).toBe(false))
})

test('rebind asks for the name of the farmhand', async () => {
  await leaver(104n, 'Moved')
  const { type, sees, exit } = inTerminal(['farmhands', 'rebind', 'Moved', '76561198000000001'], at(server()))
  await sees('gives it to 76561198000000001')
  type('Moved\r')
  expect(await exit).toBe(0)
})

test('api asks for the name of the farm before a DELETE', async () => {
  const isThere = await leaver(105n, 'ByApi')
  const { farmName } = JSON.parse((await run(['status', '--json'], at(server()))).stdout)
  const { type, sees, exit } = inTerminal(['api', 'DELETE', '/farmhands?name=ByApi'], at(server()))
  await sees(`Type ${farmName} to go on: `)
  type(`${farmName}\r`)
  expect(await exit).toBe(0)
  await eventually(async () => expect(await isThere()).toBe(false))
})

test.each([
  ['of delete', ['farmhands', 'delete', 'Asked'], 'Type Asked to go on: '],
  ['of rebind', ['farmhands', 'rebind', 'Asked', '76561198000000001'], 'Type Asked to go on: '],
  ['of api', ['api', 'DELETE', '/farmhands?name=Asked'], /Type .+ to go on: /],
  ['of login', ['login', 'http://localhost:8080'], 'Key (API_KEY of the farm; not shown): '],
  ['of chat', ['chat'], '> '],
  ['of watch', ['watch'], 'q ends'],
])('Ctrl-C at the prompt %s ends with 130, and changes nothing', async (_, args, prompt) => {
  const isThere = await leaver(106n, 'Asked')
  const { type, sees, exit } = inTerminal(args, at(server()))
  await sees(prompt)
  type('half\x03')
  expect(await exit).toBe(130)
  expect(await isThere()).toBe(true)
})

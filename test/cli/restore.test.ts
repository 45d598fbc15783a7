/** `farmgate restore`. */
import { expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, run } from './farmgate.ts'
import { savedAtRest } from './saved-at-rest.ts'

const server = sharedServer(nodeServer)

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

test('restore asks for the name of the farm, and restores when it is typed', async () => {
  const id = await backedUp()
  const { type, sees, exit } = inTerminal(['restore', id], at(server()))
  await sees('would be restored')
  await sees('Type Junimo to continue: ')
  type('Junimo\r')
  await sees('is restored')
  expect(await exit).toBe(0)
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

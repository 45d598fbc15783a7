/** Notes, as opposed to results. */
import { expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { ownServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, runInTurn } from './farmgate.ts'
import { answering, farmWith } from './faulty.ts'

test('an empty result prints a note on stderr: stdout has results only', async () => {
  const server = await ownServer(nodeServer)
  const deserted = await answering(
    farmWith(
      {},
      {
        '/backups': { body: { backups: [], state: { saves: 'mounted' } } },
        '/webhooks/deliveries': { body: { deliveries: [] } },
      },
    ),
  )
  const notes: readonly (readonly [string, RegExp])[] = [
    [`players --url ${deserted}`, /^No one is connected\.\n$/],
    [`backups --url ${deserted}`, /^No backups yet\.\n$/],
    ['webhooks', /^No webhooks yet\.\n$/],
    ['discord', /^No Discord server is bound to the farm\. Make a code for one: farmgate discord code\n$/],
    [`webhooks deliveries x --url ${deserted}`, /^Nothing was sent yet\.\n$/],
    ['keys', /^No named keys yet\.\n$/],
    ['audit', /^Nothing was changed\.\n$/],
    ['audit --action reloadWorld', /^No row matches\.\n$/],
    [
      'audit --key Panel',
      /^No row matches\. --key is an id as farmgate keys lists it, or api_key; not a name\.\n$/,
    ],
    ['history players', /^Nothing is kept yet\.\n$/],
    ['history sessions', /^Nothing is kept yet\.\n$/],
    ['history sessions --before 1000', /^Nothing older is kept\.\n$/],
    ['history samples', /^Nothing is kept yet\.\n$/],
    ['history days', /^Nothing is kept yet\.\n$/],
    ['history chat', /^Nothing is kept yet\.\n$/],
  ]
  const finished = await runInTurn(
    notes.map(([line]) => line.split(' ')),
    at(server),
  )
  for (const [index, [name, note]] of notes.entries())
    expect({ name, ...finished[index] }).toEqual({
      name,
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(note),
    })
})

test('the note about older rows of the audit is on stderr, and leads to them', async () => {
  const server = await ownServer(nodeServer)
  const farm = connect(server)
  for (const value of [1200, 1300]) await farm.setTime({ value })
  const [newest, json] = await runInTurn(
    ['audit --limit 1', 'audit --limit 1 --json'].map((line) => line.split(' ')),
    at(server),
  )
  expect(newest?.stdout).toContain('1300')
  expect(newest?.stdout).not.toContain('Older')
  expect(json?.stderr).toBe('')
  const older = /^Older ones: farmgate (audit --before \w+)\n$/.exec(newest?.stderr ?? '')?.[1] ?? ''
  expect((await runInTurn([older.split(' ')], at(server)))[0]?.stdout).toContain('1200')
})

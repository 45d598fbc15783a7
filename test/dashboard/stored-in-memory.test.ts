/** A change that is not on the farm's disk is marked where it was made. */

import { expect, onTestFinished, test } from 'vitest'
import { memoryRecords } from '../records/memory-records.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { expectGood, openPage } from './open-page.ts'
import { browser } from './shared-browser.ts'

test('a new or revoked key that is stored in memory only is marked so with what to do, until one is on the disk', async () => {
  let isFull = true
  const records = memoryRecords()
  const server = await nodeServer({
    server: {
      records: {
        ...records,
        state: () => (isFull ? 'failed' : 'ok'),
        revokeKey: async (id) => (await records.revokeKey(id)) && (isFull ? 'memory' : true),
      },
    },
  })
  onTestFinished(() => server.stop())
  for (const name of ['one', 'two']) await records.makeKey({ name, scopes: ['read'] })
  const opened = await openPage(browser, `${server.url}/#key=${server.key}`)
  const { page } = opened
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  const revoke = async (name: string) => {
    await page.getByRole('listitem').filter({ hasText: name }).getByRole('button').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  const note = page.getByText('The change is stored in memory only.')
  await revoke('one')
  await note.waitFor()
  await page.getByText('make room or fix the disk before it restarts').waitFor()
  await expectGood(opened)
  isFull = false
  await revoke('two')
  await note.waitFor({ state: 'detached' })
  expect(await records.keys()).toEqual([])
  isFull = true
  await page.getByLabel('Name of the person or program').fill('new')
  await page.getByRole('button', { name: 'Create a key' }).click()
  await note.waitFor()
})

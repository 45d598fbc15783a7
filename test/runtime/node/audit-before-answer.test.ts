/** A write is answered after its row in the audit is complete and on the disk. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { askWithKey } from '../../contract/request.ts'
import { newFolder } from '../../new-folder.ts'
import { memoryRecords } from '../../records/memory-records.ts'
import { serving } from './farmgate-process.ts'
import { nodeServer } from './node-server.ts'

const key = 'a-key-of-at-least-sixteen-characters'

test('a write is answered after its row of the audit is complete, and reads do not wait for it', async () => {
  const order: string[] = []
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const records = memoryRecords()
  const server = await nodeServer({
    server: {
      records: {
        ...records,
        async endedWrite(...args) {
          asked.resolve()
          await held.promise
          await records.endedWrite(...args)
          order.push('the row is complete')
        },
      },
    },
  })
  onTestFinished(() => server.stop())
  const write = askWithKey(server, 'POST', '/time?value=1200').then(() => order.push('the write is answered'))
  await asked.promise
  expect((await askWithKey(server, 'GET', '/players')).status).toBe(200)
  order.push('a read is answered')
  held.resolve()
  await write
  expect(order).toEqual(['a read is answered', 'the row is complete', 'the write is answered'])
})

test('a kill -9 right after the answer to a write does not lose its row of the audit', async () => {
  const folder = join(newFolder(), 'data')
  for (let round = 1; round <= 3; round += 1) {
    const first = await serving({ API_KEY: key, DATA_DIR: folder })
    const reply = await fetch(`${first.url}/rendering?fps=${round}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    })
    first.signal('SIGKILL')
    await first.exited
    expect(reply.status).toBe(200)
  }
  const last = await serving({ API_KEY: key, DATA_DIR: folder })
  const { json } = await askWithKey({ url: last.url, key }, 'GET', '/audit')
  expect(Object(json)['entries']).toMatchObject(
    ['3', '2', '1'].map((fps) => ({
      action: 'setRendering',
      parameters: { fps },
      outcome: 'done',
      status: 200,
    })),
  )
})

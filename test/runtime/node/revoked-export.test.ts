/** A key that is revoked during a large export, in a real process and over a slow connection. */
import { get, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { askWithKey } from '../../contract/request.ts'
import { newFolder } from '../../new-folder.ts'
import { aKeeper, rowId, startedAt } from '../../services/records/a-keeper.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'

const apiKey = 'the-API_KEY-of-this-farm'
const rows = 60_000

/** Adds many rows to the audit of a folder. */
async function fill(path: string): Promise<void> {
  const { keeper } = aKeeper(path)
  keeper.close()
  const db = new DatabaseSync(path)
  const insert =
    db.prepare(`INSERT INTO audit (id, at, requestId, origin, address, action, parameters, outcome, status)
    VALUES (?, ?, 'a request', 'local', '127.0.0.1', 'setTime', '{"value":"1200"}', 'done', 200)`)
  db.exec('BEGIN')
  for (let row = 1; row <= rows; row += 1) insert.run(rowId(row), startedAt)
  db.exec('COMMIT')
  db.close()
}

test('the export of the audit ends within its next pieces, without its last chunk, when its key is revoked', async () => {
  const folder = newFolder()
  await fill(join(folder, 'records.db'))
  const farmgate = await serving({ API_KEY: apiKey, DATA_DIR: folder })
  const { json } = await askWithKey({ url: farmgate.url, key: apiKey }, 'POST', '/keys', {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'an admin', scopes: ['admin'] }),
  })
  const { id, key } = json as { id: string; key: string }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = get(
      `${farmgate.url}/audit/export`,
      { headers: { Authorization: `Bearer ${key}` } },
      resolve,
    )
    request.on('error', reject)
    onTestFinished(() => void request.destroy())
  })
  expect(response.statusCode).toBe(200)
  // The client does not read yet: farmgate sends as much as the sockets hold, and the rest waits.
  const revoked = await askWithKey({ url: farmgate.url, key: apiKey }, 'DELETE', `/keys?id=${id}`)
  expect(revoked.status).toBe(200)
  let lines = 0
  const ended = new Promise<string>((resolve) => {
    response.on('error', (error) => resolve(error.message))
    response.on('end', () => resolve('whole'))
  })
  response.setEncoding('utf8').on('data', (piece: string) => {
    lines += piece.split('\n').length - 1
  })
  expect(await ended).toBe('aborted')
  expect(lines).toBeLessThan(rows)
  await eventually(async () => {
    const page = await askWithKey({ url: farmgate.url, key: apiKey }, 'GET', '/audit?action=revokeKey')
    expect((page.json as { entries: unknown[] }).entries).toMatchObject([{ outcome: 'done' }])
  })
})

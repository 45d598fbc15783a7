/** Files that other users of the machine could read, after a run of each service. */

import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sessionStore } from '../../ticket/session/session-file.ts'
import { askWithKey } from '../contract/request.ts'
import { newFolder } from '../new-folder.ts'
import { serving } from '../runtime/node/farmgate-process.ts'
import { environmentOf, serve } from '../ticket/process.ts'
import { junimo, makeSetting } from '../ticket/setting.ts'

const isOpen = (path: string) => (statSync(path).mode & 0o077) !== 0

/** Files that another user can reach: they and all their folders are open to others. */
const readableByOthers = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink() || !isOpen(path)) return []
    return entry.isDirectory() ? readableByOthers(path) : [path]
  })

function expectNoSecret(folder: string, secrets: readonly string[]): void {
  for (const path of readableByOthers(folder)) {
    const content = readFileSync(path, 'latin1')
    expect([path, secrets.filter((secret) => content.includes(secret))]).toEqual([path, []])
  }
}

test('every file that farmgate creates is closed to other users, or holds no secret', async () => {
  const key = 'api-CANARY-0123456789'
  const folder = newFolder()
  for (const name of ['saves', 'data']) mkdirSync(join(folder, name), { mode: 0o755 })
  const [DATA_DIR, BACKUP_DIR] = [join(folder, 'data', 'own'), join(folder, 'data', 'backups')]
  const env = { API_KEY: key, DATA_DIR, BACKUP_DIR, SAVES_DIR: join(folder, 'saves') }
  const farmgate = await serving(env)
  const post = (path: string, json: object) => askWithKey({ url: farmgate.url, key }, 'POST', path, { json })
  const made = await post('/keys', { name: 'monitor', scopes: ['read'] })
  const token = 'hook-CANARY-0123456789'
  const url = `https://hooks.example/${token}`
  const hook = await post('/webhooks', { name: 'w', url, events: ['farm.away'], format: 'standard' })
  expect([made.status, hook.status]).toEqual([201, 201])
  const { secret } = hook.json as { readonly secret: string }
  farmgate.signal('SIGTERM')
  expect((await farmgate.exited).code).toBe(0)
  expect(readdirSync(DATA_DIR)).not.toEqual([])
  expectNoSecret(folder, [key, (made.json as { readonly key: string }).key, token, secret, secret.slice(6)])
})

test('every file that the ticket service creates is closed to other users, or holds no secret', async () => {
  const setting = await makeSetting()
  onTestFinished(() => setting.close())
  const folder = newFolder()
  const SESSION_DIR = join(folder, 'session')
  const refreshToken = setting.platform.token(setting.account)
  await sessionStore(SESSION_DIR).save({ username: junimo.name, refreshToken, guardData: undefined })
  const key = 'ticket-CANARY-0123456789'
  const served = await serve(
    environmentOf(setting.platform, {
      SESSION_DIR,
      GAME_DIR: join(folder, 'game'),
      HOME: folder,
      PLATFORM_USERNAME: junimo.name,
      TICKET_KEY: key,
    }),
  )
  await served.stop()
  expect(readdirSync(SESSION_DIR)).not.toEqual([])
  expectNoSecret(folder, [key, junimo.password, refreshToken, ...setting.platform.book.issued])
})

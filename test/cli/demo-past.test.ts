/** The settings file and the history of `npm start`. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../bridges/settings-file/farm-settings.ts'
import { beginPast } from '../../cli/demo/past.ts'
import type { BackupList } from '../../handlers/backup-list.ts'
import { askWithKey } from '../contract/request.ts'
import { newFolder } from '../new-folder.ts'
import { programs } from '../programs.ts'
import { launch } from '../runtime/node/farmgate-process.ts'
import { eventually } from '../wait.ts'

async function startDemo(DATA_DIR = '', BACKUP_DIR = '') {
  const demo = await launch([process.execPath, programs.demo], {
    DATA_DIR,
    BACKUP_DIR,
    SETTINGS_PATH: '',
    TMPDIR: newFolder(),
    API_PORT: '0',
    SIM_SEED: 'past',
  })
  const [, url = ''] = await demo.said(/open at (http:\S+)/)
  const [, key = ''] = await demo.said(/for this run only: {2}(\S+)/)
  return { url, key, demo }
}

test('the demo has a past: a month of history, chat and audit, and verified backups of ten days, from the last of which its farm continues', async () => {
  const at = await startDemo()
  const read = async <Answer>(path: string) => (await askWithKey(at, 'GET', path)).json as Answer
  const backups = await eventually(async () => {
    const found = (await read<BackupList>('/backups')).backups
    expect(new Set(found.map(({ madeAt }) => madeAt.slice(0, 10))).size).toBeGreaterThanOrEqual(10)
    return found
  })
  for (const { verifiedAt } of backups) expect(verifiedAt).toEqual(expect.any(String))
  const { samples } = await read<{ samples: { at: string }[] }>(
    `/history/samples?from=${new Date(Date.now() - 31 * 86_400_000).toISOString()}&step=3600`,
  )
  expect(samples.length).toBeGreaterThan(600)
  const { players } = await read<{ players: { name: string }[] }>('/history/players')
  const { players: online } = await read<{ players: { name: string }[] }>('/players')
  expect(players.map(({ name }) => name)).toEqual(expect.arrayContaining(online.map(({ name }) => name)))
  const { lines } = await read<{ lines: unknown[] }>('/history/chat?limit=200')
  expect(lines.length).toBe(200)
  const { entries } = await read<{ entries: { outcome: string }[] }>('/audit?limit=50')
  expect(entries.length).toBeGreaterThan(5)
  const [newest] = backups
  expect(await read('/status')).toMatchObject({ season: newest?.season, year: newest?.year })
})

test('the demo listens before it has made its past: what it does before is the saves', async () => {
  const folder = newFolder()
  const at = (name: string) => join(folder, name)
  const places = { data: at('data'), saves: at('saves'), backups: at('backups'), scratch: at('scratch') }
  const makePast = await beginPast(places, { seed: 'past', settings: defaultSettings }, Date.now())
  expect(readdirSync(folder)).toEqual(['saves'])
  expect(readdirSync(at('saves/Saves'))).toHaveLength(3)
  await makePast()
  expect(readdirSync(at('backups')).filter((name) => name.endsWith('.zip'))).toHaveLength(10)
  expect(readdirSync(at('data'))).toContain('records.db')
})

test('the demo has a settings file, so that its settings can be changed', async () => {
  const at = await startDemo()
  const { status, json } = await askWithKey(at, 'PATCH', '/settings', { json: { server: { maxPlayers: 8 } } })
  expect([status, json]).toMatchObject([200, { success: true }])
})

test('a demo with its own folder gets a history once, and no webhook, whose receiver ends with the first run', async () => {
  const DATA_DIR = newFolder()
  const first = await startDemo(DATA_DIR)
  const visits = async (at: typeof first) =>
    (
      (await askWithKey(at, 'GET', '/history/sessions?limit=500')).json as { sessions: { leftAt?: string }[] }
    ).sessions.filter(({ leftAt }) => leftAt !== undefined).length
  const before = await eventually(async () => {
    const past = await visits(first)
    expect(past).toBeGreaterThan(20)
    return past
  })
  const known = async (path: string) => (await askWithKey(first, 'GET', path)).json
  await eventually(async () => expect(await known('/allowlist')).toMatchObject({ accounts: [{}] }))
  expect(await known('/webhooks')).toEqual({ webhooks: [] })
  first.demo.signal('SIGTERM')
  await first.demo.exited
  const second = await startDemo(DATA_DIR)
  // The players at the end of the first one have left.
  expect(await visits(second)).toBeLessThan(before + 10)
})

test('a demo whose history cannot be written says why, and starts without it', async () => {
  const file = join(newFolder(), 'a-file')
  writeFileSync(file, '')
  const { demo, ...at } = await startDemo('', file)
  await demo.said(/the demo has no past, or a part of it: .*ENOTDIR/)
  expect((await askWithKey(at, 'GET', '/status')).json).toMatchObject({ isOnline: true })
})

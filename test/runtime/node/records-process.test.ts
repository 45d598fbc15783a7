/** The records as the operator sees them: the log, `/health`, the check of the configuration. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folderLockFile } from '../../../lib/shared-folder/folder-lock.ts'
import { placeProblems } from '../../../runtime/node/check-config.ts'
import { surroundings } from '../../../runtime/node/main.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { serve, serving } from './farmgate-process.ts'
import { openedFarm } from './open-farm.ts'

const key = 'records-records-records'
const headers = { Authorization: `Bearer ${key}` }
const json = async (url: string, init?: RequestInit): Promise<Record<string, unknown>> =>
  Object(await (await fetch(url, init)).json())

describe('DATA_DIR', () => {
  test('keeps the audit over a restart, without a warning of Node', async () => {
    const folder = join(newFolder(), 'data')
    const first = await serving({ API_KEY: key, DATA_DIR: folder })
    expect((await fetch(`${first.url}/time?value=1200`, { method: 'POST', headers })).status).toBe(200)
    expect(await json(`${first.url}/health`)).toMatchObject({ records: 'ok' })
    first.signal('SIGTERM')
    expect((await first.exited).code).toBe(0)
    expect(first.stderr()).toBe('')
    const second = await openedFarm({ API_KEY: key, DATA_DIR: folder })
    expect((await json(`${second.url}/audit`, { headers }))['entries']).toMatchObject([
      { action: 'setTime', outcome: 'done' },
    ])
  })

  test('is made with mode 0700 and its files with 0600; one that was there keeps its mode', async () => {
    const [made, kept] = [join(newFolder(), 'data'), join(newFolder(), 'data')]
    mkdirSync(kept)
    chmodSync(kept, 0o755)
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)
    for (const folder of [made, kept]) {
      await openedFarm({ API_KEY: key, DATA_DIR: folder })
      await eventually(() => existsSync(join(folder, 'records.reserve')))
      const files = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isFile())
      expect(files.map(({ name }) => name)).toContain(folderLockFile)
      expect(files.map(({ name }) => [name, mode(join(folder, name))])).toEqual(
        files.map(({ name }) => [name, '600']),
      )
    }
    expect([made, kept].map(mode)).toEqual(['700', '755'])
  })

  test('that cannot be used never stops the API: one line in the log, "records":"failed", and it is used as soon as it works', async () => {
    const folder = join(newFolder(), 'data')
    writeFileSync(folder, 'a file, not a folder')
    const farmgate = await openedFarm({ API_KEY: key, DATA_DIR: folder })
    const times = (words: string) => farmgate.log.filter(({ message }) => message.includes(words)).length
    await eventually(async () =>
      expect(await json(`${farmgate.url}/health`)).toMatchObject({ status: 'ok', records: 'failed' }),
    )
    expect((await fetch(`${farmgate.url}/time?value=1200`, { method: 'POST', headers })).status).toBe(200)
    rmSync(folder)
    await eventually(() => times('records are written to the disk again') === 1)
    expect(await json(`${farmgate.url}/health`)).toMatchObject({ records: 'ok' })
    expect(times('records are kept in memory only')).toBe(1)
    expect((await json(`${farmgate.url}/audit`, { headers }))['entries']).toMatchObject([
      { action: 'setTime', outcome: 'done' },
    ])
  })
})

test('with a pipe in place of the database farmgate starts at once, and the answer to every change of what holders have says that it is in memory', async () => {
  const folder = newFolder()
  execFileSync('mkfifo', [join(folder, 'records.db')])
  const { url } = await openedFarm({
    API_KEY: key,
    DATA_DIR: folder,
    PUBLIC_URL: 'https://farm.example',
    SIGN_IN_DISCORD_CLIENT_ID: '1',
    SIGN_IN_DISCORD_CLIENT_SECRET: 'secret',
  })
  const send = async (line: string, body?: object) => {
    const [method = '', path = ''] = line.split(' ')
    const sent = {
      method,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    }
    const answer = await json(`${url}${path}`, sent)
    expect([line, answer['stored']]).toEqual([line, 'memory'])
    return String(answer['id'])
  }
  const scopes = ['read']
  const made = {
    '/keys': await send('POST /keys', { name: 'bot', scopes }),
    '/invitations': await send('POST /invitations', { scopes }),
    '/webhooks': await send('POST /webhooks', {
      ...{ name: 'w', url: 'https://hooks.example/junimo', events: ['player.joined'], format: 'text' },
    }),
    '/schedules': await send('POST /schedules', { name: 's', cron: '0 6 * * *', do: { action: 'backup' } }),
  }
  await send(`PATCH /schedules?id=${made['/schedules']}`, { enabled: false })
  await send('PUT /allowlist', { accounts: [] })
  await send('PATCH /accounts/groups', { groups: [] })
  for (const [path, id] of Object.entries(made)) await send(`DELETE ${path}?id=${id}`)
})

describe('a second process', () => {
  /** @returns the exit of a second farmgate with these folders */
  const second = async (env: Readonly<Record<string, string>>) => {
    const { exited, stderr } = await serve({ API_PORT: '0', API_HOST: '127.0.0.1', API_KEY: key, ...env })
    return { code: (await exited).code, said: stderr() }
  }
  const refused = (folder: string, pid: number | undefined) => ({
    code: 78,
    said: `cannot start: ${folder} is in use by process ${pid} on host ${hostname()}; stop that process, or use another folder\n`,
  })

  test('on one DATA_DIR exits with 78 and names the first, which is not disturbed; after a kill -9 of the first another can start', async () => {
    const folder = join(newFolder(), 'data')
    const first = await serving({ API_KEY: key, DATA_DIR: folder })
    expect(await second({ DATA_DIR: folder })).toEqual(refused(folder, first.child.pid))
    expect(await json(`${first.url}/health`)).toMatchObject({ records: 'ok' })
    first.signal('SIGKILL')
    await first.exited
    const third = await openedFarm({ API_KEY: key, DATA_DIR: folder })
    expect(await json(`${third.url}/health`)).toMatchObject({ records: 'ok' })
  })

  test('on one SAVES_DIR that both can write to exits with 78 and names the first', async () => {
    const saves = newFolder()
    mkdirSync(join(saves, 'Saves'))
    await openedFarm({ API_KEY: key, SAVES_DIR: saves })
    expect(await second({ SAVES_DIR: saves })).toEqual(refused(join(saves, 'Saves'), process.pid))
  })

  test('of another program with a lock on the saves does not stop the start of farmgate: the log warns', async () => {
    const saves = newFolder()
    const file = join(saves, 'Saves', folderLockFile)
    mkdirSync(join(saves, 'Saves'))
    const game = spawn('flock', [file, 'sh', '-c', 'echo held; read stop'])
    onTestFinished(() => void game.stdin.end())
    await once(game.stdout, 'data')
    const { log } = await openedFarm({ API_KEY: key, SAVES_DIR: saves })
    expect(log.map(({ message }) => message)).toContain(
      'the folder Saves is not locked: a second farmgate on it is not refused',
    )
  })
})

describe('the check of DATA_DIR', () => {
  const check = async (DATA_DIR: string) =>
    (await placeProblems(surroundings({ API_KEY: key, DATA_DIR }))).map(({ problem }) => problem)

  test('reports that it can be used, and leaves nothing behind', async () => {
    const parent = newFolder()
    expect(await check(join(parent, 'a', 'data'))).toEqual([])
    expect(readdirSync(parent)).toEqual([])
  })

  test('reports a corrupt database, or one of a newer farmgate, and changes neither', async () => {
    const folder = newFolder()
    const path = join(folder, 'records.db')
    writeFileSync(path, 'this is no database '.repeat(100))
    expect(await check(folder)).toEqual([expect.stringContaining('corrupt')])
    rmSync(path)
    const db = new DatabaseSync(path)
    db.exec('PRAGMA user_version = 999')
    db.close()
    expect(await check(folder)).toEqual([expect.stringContaining('newer farmgate')])
    expect(readdirSync(folder)).toEqual(['records.db'])
  })
})

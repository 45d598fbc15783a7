/** Named keys and the audit. */
import { describe, expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, inTerminalInTurn, run, runInTurn } from './farmgate.ts'

describe('farmgate keys and audit', () => {
  const server = sharedServer(nodeServer)

  test('a new key allows what its scopes allow, and nothing once it is revoked', async () => {
    const [created, listed] = await runInTurn(
      [['keys', 'create', 'Panel', '--scope', 'read', '--days', '30'], ['keys']],
      at(server()),
    )
    expect(created).toMatchObject({ code: 0, stderr: 'Keep it now: it is not shown again.\n' })
    const key = created?.stdout.trim() ?? ''
    expect(key).toMatch(/^fg_\w+_[\w-]+$/)
    const own = { FARMGATE_URL: server().url, FARMGATE_KEY: key }
    const allowed = await eventually(async () => {
      const finished = await runInTurn([['players'], ['time', '1200']], own)
      expect(finished[0]?.code).toBe(0)
      return finished
    })
    expect(allowed.map(({ code }) => code)).toEqual([0, 3])
    const id = /^Panel +(\w+) +read/m.exec(listed?.stdout ?? '')?.[1] ?? ''
    const { type, sees, exit } = inTerminal(['keys', 'revoke', id], at(server()))
    await sees('Type Panel to continue: ')
    type('Panel\r')
    expect(await exit).toBe(0)
    await eventually(async () => expect((await run(['players'], own)).code).toBe(3))
    expect((await run(['keys', 'revoke', id, '--yes'], at(server()))).code).toBe(4)
  })

  test('an invalid scope, time or number of rows is wrong usage', async () => {
    const finished = await runInTurn(
      [
        ['keys', 'create', 'x', '--scope', 'all'],
        ['keys', 'create', 'x', '--scope', 'read', '--days', 'long'],
        ['audit', '--limit', '501'],
        ['history', 'chat', '--limit', 'all'],
      ],
      at(server()),
    )
    for (const one of finished) expect(one).toMatchObject({ code: 2, stdout: '' })
  })

  test('audit shows who changed what, and --action only one operation', async () => {
    const [, , set, json] = await runInTurn(
      [
        ['time', '1300'],
        ['rendering', '10'],
        ['audit', '--action', 'setTime'],
        ['audit', '--json'],
      ],
      at(server()),
    )
    expect(set?.stdout).toMatch(/ setTime +done +API_KEY +value=1300 +cli +\S+$/m)
    expect(set?.stdout).not.toContain('setRendering')
    expect(JSON.parse(json?.stdout ?? '').entries.length).toBeGreaterThan(1)
  })

  test('audit export has every row as a line of JSON, and --action and --key limit it', async () => {
    const [, , all, set, none] = await runInTurn(
      [
        ['time', '1300'],
        ['rendering', '10'],
        ['audit', 'export'],
        ['audit', 'export', '--action', 'setTime'],
        ['audit', 'export', '--key', 'nobody'],
      ],
      at(server()),
    )
    const actions = (text = '') => [
      ...new Set(
        text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).action),
      ),
    ]
    expect(actions(all?.stdout)).toEqual(expect.arrayContaining(['setTime', 'setRendering']))
    expect(actions(set?.stdout)).toEqual(['setTime'])
    expect(none).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('audit shows a dry run of a restore as a check', async () => {
    const { url, key } = server()
    await fetch(`${url}/backups/restore?id=Clover-y1-spring-01-20261121T120000000Z&dryRun=true`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
    })
    const [audit] = await runInTurn([['audit', '--action', 'restoreBackup']], at(server()))
    expect(audit?.stdout).toMatch(/^\S+ +Restore checked +refused /m)
  })

  test('audit fits a terminal of 80 columns: when, what and its outcome are whole', async () => {
    const [, audit] = await inTerminalInTurn(
      [['time', '1300'], ['audit']],
      { ...at(server()), NO_COLOR: '1' },
      80,
    )
    expect(audit?.screen).toMatch(/^At +Action +Outcome +Key +Parameters\r?$/m)
    expect(audit?.screen).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}setTime +done +API_KEY +value=1300\r?$/m,
    )
  })
})

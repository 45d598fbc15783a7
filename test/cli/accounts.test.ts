/** People: accounts, invitations, and the allowlist. */
import { afterAll, describe, expect, test } from 'vitest'
import { browser } from '../accounts/browser.ts'
import { farmWithAccounts } from '../accounts/farm-with-accounts.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, inTerminal, run, runInTurn } from './farmgate.ts'

const { front, server, stop } = await farmWithAccounts((signIn) => nodeServer({ signIn }))
afterAll(stop)
const own = at(server)
const idIn = (text: string) => /\b[0-9a-f]{8,}\b/.exec(text)?.[0] ?? ''

describe('farmgate accounts', () => {
  test('lists who has signed in, replaces scopes and groups, and deletes after asking for the name', async () => {
    expect(await run(['accounts'], own)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('No one has signed in yet'),
    })
    await browser(front.url).signIn('oidc')
    const listed = await run(['accounts'], own)
    expect(listed.stdout).toMatch(/ oidc +none +none +2/)
    const [row = ''] = listed.stdout.split('\n').slice(1)
    const [name = '', id = ''] = row.split(/ {2,}/)
    const [set, groups, none, shown] = await runInTurn(
      [
        ['accounts', 'scopes', id, 'read', 'chat'],
        ['accounts', 'groups', '--set', 'oidc:farmers=read', 'discord:7=chat,control'],
        ['accounts', 'groups'],
        ['accounts', '--json'],
      ],
      own,
    )
    expect([set?.code, groups?.code]).toEqual([0, 0])
    expect(none?.stdout).toMatch(/^discord +7 +chat, control$/m)
    expect(JSON.parse(shown?.stdout ?? '')).toMatchObject({ accounts: [{ id, scopes: ['read', 'chat'] }] })
    const wrong = await runInTurn(
      [
        ['accounts', 'scopes', id, 'everything'],
        ['accounts', 'groups', '--set', 'guild:7=read'],
        ['accounts', 'delete', 'unknown', '--yes'],
      ],
      own,
    )
    expect(wrong.map(({ code }) => code)).toEqual([2, 2, 4])
    const { type, sees, exit } = inTerminal(['accounts', 'delete', id], own)
    await sees(`Type ${name} to continue: `)
    type(`${name}\r`)
    expect(await exit).toBe(0)
    expect((await run(['accounts', '--json'], own)).stdout).toContain('"accounts":[]')
  })
})

describe('farmgate invitations', () => {
  test('makes a link that is shown once, lists it without the link, and deletes it', async () => {
    const made = await run(['invitations', 'create', '--scope', 'read', '--uses', '5', '--days', '7'], own)
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http.*#invitation=[\w-]{43}\n$/) })
    const code = made.stdout.trim().split('=')[1] ?? ''
    const listed = await run(['invitations'], own)
    expect(listed.stdout).toMatch(/ read +0 of 5 +2/)
    expect(listed.stdout).not.toContain(code)
    const id = idIn(listed.stdout)
    const ends = await runInTurn(
      [
        ['invitations', 'create', '--scope', 'all'],
        ['invitations', 'create', '--scope', 'read', '--uses', 'many'],
        ['invitations', 'delete', id, '--yes'],
        ['invitations', 'delete', id, '--yes'],
      ],
      own,
    )
    expect(ends.map(({ code: exit }) => exit)).toEqual([2, 2, 0, 4])
  })
})

test('farmgate allowlist adds an account once, changes its note and removes it', async () => {
  const steam = 'steam:76561198385195600'
  const ends = await runInTurn(
    [
      ['allowlist'],
      ['allowlist', 'add', steam, '--note', 'Robin'],
      ['allowlist', 'add', 'galaxy:45'],
      ['allowlist', 'add', steam, '--note', 'Robin, at home'],
      ['allowlist'],
      ['allowlist', 'remove', steam],
      ['allowlist', 'remove', steam],
      ['allowlist', 'add', '76561198385195600'],
    ],
    own,
  )
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 4, 2])
  expect(ends[0]?.stderr).toContain('everyone may join')
  expect(ends[4]?.stdout.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^galaxy:45 *$/),
    expect.stringMatching(/^steam:76561198385195600 +Robin, at home$/),
    '',
  ])
})

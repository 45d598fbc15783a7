/** Questions at a terminal. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, run, runInTurn } from './farmgate.ts'
import { answering } from './faulty.ts'

describe('before a destructive change', () => {
  const server = sharedServer(nodeServer)

  /** A farmhand whose player has left. @returns whether the farmhand still exists */
  async function leaver(id: bigint, name: string) {
    const farm = connect(server())
    await server().farm.join({ id, name })
    await eventually(async () => (await farm.players()).players.some((player) => player.id === id))
    await server().farm.leave(id)
    await eventually(async () => !(await farm.players()).players.some((player) => player.id === id))
    return async () => (await farm.farmhands()).farmhands.some((farmhand) => farmhand.name === name)
  }

  test('delete asks for the name of the farmhand, and deletes the farmhand when it is typed', async () => {
    const isThere = await leaver(101n, 'Leaver')
    const { type, sees, exit } = inTerminal(['farmhands', 'delete', 'leaver'], at(server()))
    await sees('This deletes the farmhand Leaver')
    await sees('Type Leaver to continue: ')
    type('Leaver\r')
    expect(await exit).toBe(0)
    await eventually(async () => expect(await isThere()).toBe(false))
  })

  test('delete with another name typed changes nothing, and ends with 1', async () => {
    const isThere = await leaver(102n, 'Stayer')
    const { type, sees, exit } = inTerminal(['farmhands', 'delete', 'Stayer'], at(server()))
    await sees('Type Stayer to continue: ')
    type('yes\r')
    await sees('nothing was changed')
    expect(await exit).toBe(1)
    expect(await isThere()).toBe(true)
  })

  test('delete without a terminal changes nothing unless --yes is given', async () => {
    const isThere = await leaver(103n, 'Piped')
    const refused = await run(['farmhands', 'delete', 'Piped'], at(server()), 'Piped\n')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(/Add --yes/)
    expect(await isThere()).toBe(true)
    expect((await run(['farmhands', 'delete', 'Piped', '--yes'], at(server()))).code).toBe(0)
    await eventually(async () => expect(await isThere()).toBe(false))
  })

  test('rebind asks for the name of the farmhand', async () => {
    await leaver(104n, 'Moved')
    const { type, sees, exit } = inTerminal(
      ['farmhands', 'rebind', 'Moved', '76561198000000001'],
      at(server()),
    )
    await sees('gives it to 76561198000000001')
    type('Moved\r')
    expect(await exit).toBe(0)
  })

  test('api asks for the name of the farm before a DELETE', async () => {
    const isThere = await leaver(105n, 'ByApi')
    const { farmName } = await connect(server()).status()
    const { type, sees, exit } = inTerminal(['api', 'DELETE', '/farmhands?name=ByApi'], at(server()))
    await sees(`Type ${farmName} to continue: `)
    type(`${farmName}\r`)
    expect(await exit).toBe(0)
    await eventually(async () => expect(await isThere()).toBe(false))
  })

  const destroying = [
    ['POST', '/newgame'],
    ['post', '/newgame/'],
    ['POST', '/reload'],
    ['POST', '/reload?x=1'],
    ['POST', '/backups/restore?id=x'],
    ['POST', '/farmhands/rebind?playerId=1&identity=76561198000000001'],
    ['DELETE', '/keys?id=0'],
    // The parser of URLs makes the first five the path of an endpoint, and a proxy might do so with the others.
    ...['/x/../reload', '/./reload', '/%2e/reload', '/re\tload', '/x/..\\newgame'].map((path) => [
      'POST',
      path,
    ]),
    ...['//newgame', '/newgame//', '/%6eewgame', '/farmhands%2Frebind', '/RELOAD'].map((path) => [
      'POST',
      path,
    ]),
  ]

  test('without a terminal api sends no POST /newgame, /reload or /farmhands/rebind in any spelling, and no DELETE', async () => {
    const audited = async () => (await connect(server()).audit({ limit: 1 })).entries[0]?.id
    const before = await audited()
    const finished = await runInTurn(
      destroying.map((words) => ['api', ...words]),
      at(server()),
    )
    for (const [index, { code, stdout, stderr }] of finished.entries()) {
      const words = destroying[index]?.join(' ')
      expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' })
      expect(stderr).toMatch(/cannot be taken back/)
    }
    expect(await audited()).toBe(before)
  })

  test('reload --yes asks no one, and not the farm for its name either', async () => {
    const FARMGATE_URL = await answering({ '/reload': { body: { success: true, message: 'It is done' } } })
    const finished = await run(['reload', '--yes'], { FARMGATE_URL })
    expect(finished).toEqual({ code: 0, stdout: 'It is done\n', stderr: '' })
  })

  test('api POST /newgame asks for the name of the farm, and with another name sends nothing', async () => {
    const { farmName } = await connect(server()).status()
    const { type, sees, exit } = inTerminal(
      ['api', 'POST', '/newgame', '--data', '{"farmName":"Clover"}'],
      at(server()),
    )
    await sees(`Type ${farmName} to continue: `)
    type('Clover\r')
    await sees('nothing was changed')
    expect(await exit).toBe(1)
    expect((await connect(server()).status()).farmName).toBe(farmName)
  })

  test.each([
    ['of delete', ['farmhands', 'delete', 'Asked'], 'Type Asked to continue: '],
    ['of rebind', ['farmhands', 'rebind', 'Asked', '76561198000000001'], 'Type Asked to continue: '],
    ['of api', ['api', 'DELETE', '/farmhands?name=Asked'], /Type .+ to continue: /],
    ['of api POST', ['api', 'POST', '/reload'], /Type .+ to continue: /],
    ['of keys revoke', ['keys', 'revoke'], 'Type Panel to continue: '],
    ['of login', ['login', 'http://localhost:8080'], 'Key (API_KEY of the farm; not shown): '],
    ['of chat', ['chat'], '> '],
    ['of watch', ['watch'], 'q ends'],
  ])('Ctrl-C at the prompt %s ends with 130, and changes nothing', async (_, args, prompt) => {
    const isThere = await leaver(106n, 'Asked')
    const farm = connect(server())
    const isKey = args[0] === 'keys'
    const { id } = isKey ? await farm.createKey({ name: 'Panel', scopes: ['read'] }) : { id: '' }
    const { type, sees, exit } = inTerminal(isKey ? [...args, id] : args, at(server()))
    await sees(prompt)
    type('half\x03')
    expect(await exit).toBe(130)
    expect(await isThere()).toBe(true)
    expect((await farm.keys()).keys.some((key) => key.id === id)).toBe(isKey)
  })
})

describe.each([
  ['webhooks delete', ['webhooks', 'delete', 'x'], 'Type Channel to continue: ', 'Channel'],
  ['discord remove', ['discord', 'remove', '2909'], 'Type 2909 to continue: ', '2909'],
  ['backups delete', ['backups', 'delete', 'Yew-1'], 'Type Yew-1 to continue: ', 'Yew-1'],
  ['restore', ['restore', 'Yew-1'], 'Type Yew to continue: ', 'Yew'],
  ['webhooks add', ['webhooks', 'add', 'Channel'], 'not shown', 'https://chat.example/secret'],
])('%s on a terminal', (_, args, prompt, answer) => {
  async function asked() {
    const changes: string[] = []
    const answers = (body: object) => (method: string, query: URLSearchParams) => {
      if (method !== 'GET' && query.get('dryRun') !== 'true') changes.push(method)
      return { body: { ...body, id: 'x', message: 'It is done' } }
    }
    const FARMGATE_URL = await answering({
      '/webhooks': answers({ webhooks: [{ id: 'x', name: 'Channel', events: [] }] }),
      '/discord/servers': answers({ servers: [{ id: '2909', boundAt: 'now', roles: [] }] }),
      '/backups/restore': answers({}),
      '/backups': answers({
        backups: [{ id: 'Yew-1', farmName: 'Yew', season: 'fall', day: 5, year: 1 }],
        state: {},
      }),
    })
    const terminal = inTerminal(args, { FARMGATE_URL })
    await terminal.sees(prompt)
    return { ...terminal, changes }
  }

  test('sends nothing before the answer, and then does as asked', async () => {
    const { type, exit, changes } = await asked()
    expect(changes).toEqual([])
    type(`${answer}\r`)
    expect(await exit).toBe(0)
    expect(changes).toHaveLength(1)
  })

  test('Ctrl-C at its prompt ends with 130, and changes nothing', async () => {
    const { type, exit, changes } = await asked()
    type('half\x03')
    expect(await exit).toBe(130)
    expect(changes).toEqual([])
  })
})

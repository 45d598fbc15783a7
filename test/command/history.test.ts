import { expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { at, run } from './farmgate.ts'

const server = sharedServer(nodeServer)

test.each([['players'], ['sessions'], ['days'], ['chat']])(
  'history %s shows what is kept, and --json what the API answers',
  async (what) => {
    const { code, stdout, stderr } = await run(['history', what], at(server()))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^(Nothing is kept yet\.|Name|Day|At)/)
    const json = await run(['history', what, '--json'], at(server()))
    expect(JSON.parse(json.stdout)).toHaveProperty(what === 'chat' ? 'lines' : what)
  },
)

test('a history that is not kept is wrong usage', async () => {
  expect(await run(['history', 'weather'], at(server()))).toMatchObject({ code: 2, stdout: '' })
})

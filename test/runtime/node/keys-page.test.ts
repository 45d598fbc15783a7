/** The recipes of docs/keys-and-records.md, request by request, with a running server. */
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../client/connect.ts'
import { postKey } from '../../contract/http/made-key.ts'
import { askWithKey } from '../../contract/request.ts'
import { nodeServer } from './node-server.ts'

const page = readFileSync(new URL('../../../docs/keys-and-records.md', import.meta.url), 'utf8')
const recipes = [
  ...page.matchAll(/^### (.+)\n(?:(?!^### )[\s\S])*?^```recipe\nPOST \/keys (.+)\n([^`]+)^```/gm),
].map(([, title = '', body = '', lines = '']) => ({ title, body, lines: lines.trim().split('\n') }))

test('docs/keys-and-records.md has a recipe for a bot, a monitor and a moderator', () => {
  expect(recipes.map(({ title }) => title)).toEqual(['A bot', 'A monitor', 'A moderator'])
})

test.each(recipes)('$title: the key of the recipe allows what it says, and nothing else', async (recipe) => {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  const made = await postKey(server, recipe.body)
  expect(made.status).toBe(201)
  const { key } = made.json as { key: string }
  for (const line of recipe.lines) {
    const [method = '', path = '', status, code] = line.split(/ +/)
    const { json, ...reply } = await askWithKey({ ...server, key }, method, path)
    const reported = (json as { code?: string } | undefined)?.code
    expect([line, reply.status, reported]).toEqual([line, Number(status), code])
  }
})

test('the bot of the page works through the client, with a key that has only chat', async () => {
  const server = await nodeServer()
  onTestFinished(() => server.stop())
  const { url } = server
  const { json } = await postKey(server, recipes[0]?.body ?? '')
  const { key } = json as { key: string }
  const live = connect({ url, key }).live({ topics: [] })
  onTestFinished(() => live.close())
  await live.say({ author: 'Discord', message: 'hello' })
  expect(server.farm.relayed()).toEqual([{ author: 'Discord', message: 'hello' }])
})

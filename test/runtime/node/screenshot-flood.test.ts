import { expect, onTestFinished, test } from 'vitest'
import { upstreamGame } from '../../bridges/upstream-game.ts'
import { nodeServer } from './node-server.ts'

test('a flood of screenshots sends the game one request at a time, and all clients get that screenshot', async () => {
  const { bridge, server, close } = await upstreamGame({ limits: { keepFor: 60_000 } })
  const node = await nodeServer({ server: { game: bridge } })
  onTestFinished(async () => {
    await node.stop()
    await close()
  })
  const ask = async () => {
    const response = await fetch(`${node.url}/screenshot`, {
      headers: { Authorization: `Bearer ${node.key}` },
    })
    return [response.status, await response.text()]
  }
  const answers = await Promise.all(Array.from({ length: 200 }, ask))
  const [first] = answers
  expect(first?.[0]).toBe(200)
  expect(answers.every((answer) => String(answer) === String(first))).toBe(true)
  expect(server.count('GET /screenshot')).toBe(1)
})

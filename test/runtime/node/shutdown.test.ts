/** How requests under way are answered during a shutdown (docs/security.md). */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { stopOnSignals } from '../../../runtime/node/shutdown.ts'
import { askWithKey } from '../../contract/request.ts'
import { serving } from './farmgate-process.ts'

const key = 'shutdown-shutdown-shutdown'

/** A game that takes every call and answers none. @returns its address, and when it was asked to write */
async function silentGame() {
  const asked = Promise.withResolvers<void>()
  const game = createServer(({ method }) => {
    if (method === 'POST') asked.resolve()
  })
  onTestFinished(() => void game.close())
  onTestFinished(() => game.closeAllConnections())
  await new Promise<void>((resolve) => game.listen(0, '127.0.0.1', resolve))
  const { port } = game.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked: asked.promise }
}

describe('SIGTERM', () => {
  test('a write that was sent and has no answer when the shutdown time is over is 504, outcome unknown; exit 0', async () => {
    const game = await silentGame()
    const farmgate = await serving({ API_KEY: key, GAME_API_URL: game.url })
    const write = askWithKey({ url: farmgate.url, key }, 'POST', '/rendering?fps=1')
    await game.asked
    farmgate.signal('SIGTERM')
    const { status, json } = await write
    expect([status, json]).toEqual([
      504,
      {
        success: false,
        code: 'game_timeout',
        error: expect.stringMatching(/whether the change was made is unknown/),
      },
    ])
    expect(await farmgate.exited).toEqual({ code: 0, signal: null })
  })

  test('the process ends although a task does not', async () => {
    const exit = vi.fn()
    let terminate = () => {}
    stopOnSignals({
      stop: () => new Promise(() => undefined),
      exit,
      monotonic: () => 0,
      on: (signal, listener) => {
        if (signal === 'SIGTERM') terminate = listener
      },
      endsWithin: 1,
    })
    terminate()
    await vi.waitFor(() => expect(exit.mock.calls).toEqual([[1]]))
  })
})

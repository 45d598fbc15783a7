/** The history over restarts of a real process, with a game server that keeps running. */
import { expect, onTestFinished, test } from 'vitest'
import { openChat } from '../../contract/chat-client.ts'
import { askWithKey } from '../../contract/request.ts'
import { startGameServer } from '../../game-server/game-server.ts'
import { newFolder } from '../../new-folder.ts'
import { serving } from '../../runtime/node/farmgate-process.ts'
import { eventually } from '../../wait.ts'

const key = 'a-key-of-at-least-sixteen-characters'
const abby = 6_208_260_877_024_290_921n

interface Lines {
  readonly lines: readonly { readonly seq: number; readonly message: string }[]
}

async function served(dataDir: string, gameUrl: string) {
  const farmgate = await serving({ API_KEY: key, GAME_API_URL: gameUrl, DATA_DIR: dataDir })
  const server = { ...farmgate, key }
  const read = async (path: string) => (await askWithKey(server, 'GET', path)).json
  const open = async (since?: number) => {
    const client = await openChat(server)
    client.send({ type: 'auth', payload: { token: key, ...(since !== undefined && { since }) } })
    await client.take('auth_success')
    return client
  }
  return {
    farmgate,
    open,
    sessions: async () => (await read('/history/sessions')) as { sessions: readonly object[] },
    lines: async () => ((await read('/history/chat')) as Lines).lines,
    /** The game is online. */
    ready: () => eventually(async () => expect((await askWithKey(server, 'GET', '/ready')).status).toBe(200)),
  }
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'after %s the sessions of connected players continue, chat can be resumed, and no number repeats',
  async (signal) => {
    const game = await startGameServer({ snapshotEvery: 100 })
    onTestFinished(() => game.stop())
    const dataDir = newFolder()
    const first = await served(dataDir, game.url)
    await first.ready()
    const client = await first.open()
    game.world.join('Abby', abby)
    await eventually(async () => expect((await first.sessions()).sessions).toHaveLength(1))
    game.world.say('Abby', 'before')
    await client.take('chat')
    const [before] = await eventually(async () => {
      const lines = await first.lines()
      expect(lines).toMatchObject([{ message: 'before' }])
      return lines
    })
    // The line is read from the thread; it is on the disk at the latest a second later.
    if (signal === 'SIGKILL') await client.settled()
    const seq = before?.seq ?? 0
    first.farmgate.signal(signal)
    await first.farmgate.exited

    const second = await served(dataDir, game.url)
    await second.ready()
    const resumed = await second.open(seq - 1)
    game.world.say('Abby', 'after')
    const after = await eventually(() => {
      const found = resumed.messages('chat').find(({ payload }) => payload?.['message'] === 'after')
      if (found === undefined) throw new Error('not heard yet')
      return Number(found.payload?.['seq'])
    })
    expect(after).toBeGreaterThan(seq)
    if (signal === 'SIGTERM') {
      expect(after).toBe(seq + 1)
      expect(resumed.messages('chat').map(({ payload }) => payload?.['message'])).toEqual(['before', 'after'])
    }
    await eventually(async () =>
      expect((await second.sessions()).sessions).toEqual([
        expect.not.objectContaining({ ended: expect.anything() }),
      ]),
    )
  },
)

/** Thousands of random requests, handshakes and frames from a seed. `npm run soak` sends as many as its time allows. */
import { afterAll, expect, test } from 'vitest'
import { openAuthenticated } from '../contract/chat-client.ts'
import { askWithKey } from '../contract/request.ts'
import { seededRandom } from '../platform/seeded.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { fuzz } from './fuzz/send.ts'

const server = await nodeServer()
afterAll(() => server.stop())

test.each([1, 20_261_122])(
  '2,500 random inputs of seed %i cause no 500, no crash and no error in the log',
  async (seed) => {
    const witness = await openAuthenticated(server)
    const outcomes = await fuzz(server, 2500, 16, seededRandom(seed))
    for (const outcome of outcomes.keys()) expect(outcome).toMatch(/^(closed|101|[234]\d\d|501)$/)
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
    await witness.settled()
    expect((await askWithKey(server, 'GET', '/players')).status).toBe(200)
  },
)

import { expect, onTestFinished, test, vi } from 'vitest'
import { askWithKey } from '../../contract/request.ts'
import { eventually } from '../../wait.ts'
import { nodeServer } from './node-server.ts'

const hour = 3_600_000

test.each([
  ['forwards', hour],
  ['backwards', -hour],
])(
  "the latency of a request in metrics and log does not count a jump of the machine's clock %s",
  async (_, jump) => {
    const node = await nodeServer()
    onTestFinished(() => node.stop())
    await node.farm.freeze()
    const request = askWithKey(node, 'POST', '/time?value=900')
    await eventually(() => node.bridge.health().pendingActions === 1)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + jump })
    onTestFinished(() => void vi.useRealTimers())
    await node.farm.thaw()
    expect((await request).status).toBe(200)

    const { text } = await askWithKey(node, 'GET', '/metrics')
    const [, seconds] = /duration_seconds_sum\{[^}]*path="\/time"[^}]*\} (\S+)/.exec(text) ?? []
    expect(Number(seconds)).toBeGreaterThan(0)
    expect(Number(seconds)).toBeLessThan(hour / 1000 / 2)
    expect(node.log).toContainEqual(
      expect.objectContaining({ message: 'request', fields: expect.objectContaining({ path: '/time' }) }),
    )
    for (const { fields } of node.log)
      if ('ms' in fields) {
        expect(fields.ms).toBeGreaterThanOrEqual(0)
        expect(fields.ms).toBeLessThan(hour / 2)
      }
  },
)

/** The doctor's checks of the edge and of the link. */
import { expect, onTestFinished, test } from 'vitest'
import { edgeServer, linkKey } from '../edge/edge-server.ts'
import { eventually } from '../wait.ts'
import { run } from './farmgate.ts'

test('an open link, a wrong link key and a broken link are reported; the check does not replace the link', async () => {
  const server = await edgeServer()
  onTestFinished(() => server.stop())
  const link = async (EDGE_LINK_KEY: string) => {
    const env = { API_KEY: server.key, API_PORT: '2', EDGE_URL: server.url, EDGE_LINK_KEY }
    const { stdout } = await run(['doctor', '--json'], env)
    const checks: { check: string; state: string; found: string }[] = JSON.parse(stdout)
    return checks.filter(({ check }) => check === 'edge' || check === 'link')
  }
  const reached = { check: 'edge', state: 'ok' }
  expect(await link(linkKey)).toMatchObject([
    reached,
    {
      state: 'ok',
      found: expect.stringMatching(/^the farm is connected, and answers over it after \d+ ms$/),
    },
  ])
  expect(server.link.isOpen).toBe(true)
  expect(await link('a-link-key-that-is-wrong')).toMatchObject([
    reached,
    { state: 'broken', found: 'the edge does not accept EDGE_LINK_KEY' },
  ])
  await server.link.close()
  await eventually(async () =>
    expect(await link(linkKey)).toMatchObject([
      reached,
      { state: 'broken', found: 'the key is right, but the edge does not reach the farm' },
    ]),
  )
})

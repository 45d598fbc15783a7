/**
 * A farm that is one release older than the edge: it speaks the link's calls of the game, and knows no forwarded ones.
 */
import { reset } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { afterEach, expect, test } from 'vitest'
import { apiKey, get, openOrigin, type Peer } from './origin.ts'

afterEach(reset)

/** Answers a call as a farm of the previous release does that does not know its method. */
async function refuse(origin: Peer): Promise<void> {
  const { id, method } = await origin.take('call')
  expect(method).toBe('dispatch')
  const what = 'do that: the one at the farm is older than the edge'
  origin.send({ type: 'failure', id, failure: { kind: 'unsupported', by: 'farmgate', what } })
}

test('stays linked: its game works, and forwarded calls are 501 that names the farm as the older one', async () => {
  const origin = await openOrigin('run of an older farm')
  const keys = get('/keys')
  await refuse(origin)
  const made = exports.default.fetch('https://edge.example/discord/codes', {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}` },
  })
  await refuse(origin)
  const download = get('/backups/download?id=one')
  await refuse(origin)
  for (const answer of [await keys, await made, await download])
    expect([answer.status, await answer.json()]).toMatchObject([
      501,
      {
        code: 'unsupported',
        error: 'farmgate cannot do that: the one at the farm is older than the edge',
      },
    ])
  const fps = get('/rendering')
  const { id } = await origin.take('call')
  origin.send(`{"type":"answer","id":${id}}\n60`)
  expect(await (await fps).json()).toMatchObject({ fps: 60 })
})

test.each([
  [2, 'The edge is older than the farm. Update the edge.'],
  [0, 'The one at the farm is older than the edge. Update farmgate at the farm.'],
])(
  'a farm with the number %i stays linked: its unknown frames are ignored, and a call that it does not know is 501 that names the end with the lower number',
  async (version, names) => {
    const origin = await openOrigin('run of another number', { version })
    origin.send({ type: 'later', what: [1] })
    origin.send({ type: 'event', event: { type: 'later' } })
    origin.send('{"type":"later"}\nwith a second line')
    const keys = get('/keys')
    const { id } = await origin.take('call')
    origin.send({ type: 'failure', id, failure: { kind: 'unsupported', by: 'farmgate', what: 'do that' } })
    expect([(await keys).status, await (await keys).json()]).toMatchObject([
      501,
      { code: 'unsupported', error: `farmgate cannot do that. ${names}` },
    ])
    const fps = get('/rendering')
    const call = await origin.take('call')
    origin.send({ type: 'later', id: call.id })
    expect((await fps).status).toBe(502)
  },
)

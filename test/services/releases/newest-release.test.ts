/** The search for newer releases, on a stand-in for the feed. */
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { type ReleasesParts, watchReleases } from '../../../services/releases/watch-releases.ts'
import { type LogLine, recorder } from '../../logs.ts'
import { newFolder } from '../../new-folder.ts'
import { portOf } from '../../port-of.ts'
import { openedFarm } from '../../runtime/node/open-farm.ts'
import { eventually } from '../../wait.ts'

const day = 86_400_000
const command = './farmgate update'
const path = '/latest/download/CHANGELOG.md'
const changelog = (version: string) => `# Changes\n\n## ${version} (2026-12-01)\n\n- More hay\n\n## 0.1.0\n`

/** A feed. @returns its port, and what it was asked for */
async function startFeed(answer: RequestListener) {
  const seen: object[] = []
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    seen.push({ method, url, headers: Object.keys(headers).sort() })
    answer(request, response)
  })
  return { port: await portOf(server), seen }
}

/** The search of 0.3.0, whose time a test sets. @param feed its address, or the port of one under a name */
function watching(feed: string | number, parts: Partial<ReleasesParts> = {}) {
  const clock = { now: 100 * day }
  const log: LogLine[] = []
  const options = {
    feed: typeof feed === 'string' ? feed : `http://feed.lan:${feed}`,
    running: '0.3.0',
    path: join(newFolder(), 'data', 'newest-release.json'),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    log: recorder(log),
    now: () => clock.now,
    ...parts,
  }
  const opened = watchReleases(options)
  onTestFinished(opened.close)
  return { ...opened, clock, log, options }
}

test('without UPDATE_CHECK the feed is never read; with it, GET /stats says that a newer release exists, and the command', async () => {
  const off = await startFeed((_, response) => response.end(changelog('99.0.0')))
  const on = await startFeed((_, response) => response.end(changelog('99.0.0')))
  const feedOf = ({ port }: { readonly port: number }) => ({
    ALLOW_INSECURE_SETUP: 'true',
    FARMGATE_RELEASES: `http://127.0.0.1:${port}`,
  })
  // Opened first, so that it would have asked first.
  const without = await openedFarm(feedOf(off))
  const farm = await openedFarm({ ...feedOf(on), UPDATE_CHECK: 'true' })
  const stats = async ({ url }: { readonly url: string }) => (await fetch(`${url}/stats`)).json()
  await eventually(async () =>
    expect(await stats(farm)).toMatchObject({ tps: 60, update: { version: '99.0.0', command } }),
  )
  expect(await stats(without)).not.toHaveProperty('update')
  expect(off.seen).toEqual([])
})

test('the check sends nothing but GET CHANGELOG.md of the newest release, once a day, over restarts too', async () => {
  const { port, seen } = await startFeed((_, response) => response.end(changelog('0.4.0')))
  const first = watching(port)
  first.tick()
  first.tick()
  await eventually(() => expect(first.update()).toEqual({ version: '0.4.0', command }))
  first.clock.now += day - 1
  first.tick()
  await first.close()
  const asked = { method: 'GET', url: path, headers: ['connection', 'host', 'user-agent'] }
  expect(seen).toEqual([asked])

  const again = watching(port, first.options)
  again.tick()
  await eventually(() => expect(again.update()).toEqual({ version: '0.4.0', command }))
  expect(seen).toEqual([asked])
  first.clock.now += 1
  again.tick()
  await eventually(() => expect(seen).toEqual([asked, asked]))
})

test.each([packageJson.version, '0.2.9', '0.3.0-rc.1'])('no update is reported for %s', async (newest) => {
  const { port } = await startFeed((_, response) => response.end(changelog(newest)))
  const { tick, update, options } = watching(port, { running: packageJson.version })
  tick()
  await eventually(() => expect(JSON.parse(readFileSync(options.path, 'utf8'))).toMatchObject({ newest }))
  expect(update()).toBeUndefined()
})

test('redirects of the feed are followed, as GitHub has two', async () => {
  const { port } = await startFeed(({ url }, response) => {
    const next = { [path]: '/download/v0.4.0/CHANGELOG.md', '/download/v0.4.0/CHANGELOG.md': '/file' }[
      url ?? ''
    ]
    if (next === undefined) response.end(changelog('0.4.0'))
    else response.writeHead(302, { location: next }).end()
  })
  const { tick, update } = watching(port)
  tick()
  await eventually(() => expect(update()).toMatchObject({ version: '0.4.0' }))
})

test('a redirect into the private network is refused', async () => {
  const secret = await startFeed((_, response) => response.end(changelog('0.4.0')))
  const { port } = await startFeed((_, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${secret.port}/` }).end(),
  )
  const { tick, log } = watching(port)
  tick()
  await eventually(() => expect(log).toMatchObject([{ level: 'info' }]))
  expect(secret.seen).toEqual([])
})

const endless: RequestListener = (_, response) => {
  const send = () => {
    while (response.write(`${'x'.repeat(65_536)}\n`));
  }
  response.on('drain', send)
  send()
}
test.each<[string, RequestListener, string]>([
  ['that is too long', endless, 'answered too much'],
  ['without a version', (_, response) => response.end('<html>'), 'names no version'],
  ['with an error', (_, response) => response.writeHead(503).end(), 'answered 503'],
  [
    'that redirects without end',
    (_, response) => response.writeHead(302, { location: path }).end(),
    'too often',
  ],
  [
    'that redirects to another protocol',
    (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    'redirects to file:',
  ],
  ['that never comes', () => undefined, 'no answer within 2 s'],
  ['that stays incomplete', (_, response) => response.write('# Changes'), 'no answer within 2 s'],
])('an answer %s is one line of the log, and is asked for again after a day', async (_, answer, cause) => {
  const { port, seen } = await startFeed(answer)
  const { tick, update, log, clock } = watching(port, { within: 2000 })
  tick()
  await eventually(() =>
    expect(log).toEqual([
      {
        level: 'info',
        fields: { cause: expect.stringContaining(cause) },
        message: 'the newest release could not be found (FARMGATE_RELEASES)',
      },
    ]),
  )
  const requests = seen.length
  clock.now += day - 1
  tick()
  expect([update(), seen.length]).toEqual([undefined, requests])
  clock.now += 1
  tick()
  await eventually(() => expect(seen.length).toBeGreaterThan(requests))
})

test('a feed that refuses the connection at each of its addresses is one line of the log with the cause', async () => {
  const resolve = async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
  const { tick, log } = watching(9, { resolve })
  tick()
  await eventually(() => expect(log).toMatchObject([{ level: 'info', fields: { cause: 'ECONNREFUSED' } }]))
})

test('the feed is not asked where DATA_DIR cannot be written, because a restart would ask it again', async () => {
  const { port, seen } = await startFeed((_, response) => response.end(changelog('0.4.0')))
  const { tick, log } = watching(port, { path: '/dev/null/newest-release.json' })
  tick()
  await eventually(() => expect(log).toMatchObject([{ level: 'info' }]))
  expect(seen).toEqual([])
})

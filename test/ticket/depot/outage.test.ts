import { expect, onTestFinished, test } from 'vitest'
import { serverPool } from '../../../ticket/depot/cdn/server-pool.ts'
import { silent } from '../../../ticket/depot/progress.ts'
import { type CdnFault, startCdn } from '../../platform/cdn.ts'
import { server } from '../../platform/depot-platform.ts'
import { makeDepot } from '../../platform/depots.ts'
import { seededBytes } from '../../platform/seeded.ts'
import { farm, quickRetries, tree, treeOf } from './farm.ts'

const depot = makeDepot({
  files: [{ path: 'a', content: seededBytes(1, 400_000) }],
  chunkSize: 20_000,
})
/** The download never gives up here, so that the machine's load does not matter. */
const retries = { ...quickRetries, giveUpAfter: 600_000 }

function reported() {
  const lines: string[] = []
  const progress = {
    ...silent,
    say: (text: string) => void lines.push(`say: ${text}`),
    warn: (text: string) => void lines.push(`warn: ${text}`),
  }
  return { lines, progress }
}

test.each<[string, CdnFault]>([
  ['status 503', { do: 'status', status: 503 }],
  ['status 404', { do: 'status', status: 404 }],
  ['connections that are reset', { do: 'reset' }],
  ['a page in place of the data', { do: 'replace', body: Buffer.from('<html>back soon</html>') }],
])('a download resumes after an outage of all content servers: %s', async (_what, fault) => {
  const { download, directory, cdn } = await farm(depot)
  const tries = new Map<string, number>()
  let over = false
  cdn.knobs.fault = ({ path }) => {
    tries.set(path, (tries.get(path) ?? 0) + 1)
    over ||= (tries.get(path) ?? 0) > 20
    return over ? undefined : fault
  }
  await download({ retries })
  expect(tree(directory)).toEqual(treeOf(depot))
})

test('a download resumes after a time without a reachable content server, and reports that once', async () => {
  const { download, directory, cdn } = await farm(depot)
  cdn.knobs.fault = () => {
    if (cdn.chunkRequests() === 5) void cdn.close()
    return undefined
  }
  const { lines, progress } = reported()
  const warn = (text: string): void => {
    progress.warn(text)
    void startCdn([depot], Number(cdn.host.split(':')[1])).then((next) => onTestFinished(next.close))
  }
  await download({ retries: { ...retries, reportAfter: 1000 }, progress: { ...progress, warn } })
  expect(tree(directory)).toEqual(treeOf(depot))
  expect(lines).toEqual([
    'warn: The content servers deliver nothing (not reachable (ECONNREFUSED)). The download tries again for 10 min 00 s.',
    'say: The content servers deliver again.',
  ])
})

test('the fault of one server is not an outage, and nothing is reported', async () => {
  const { download, cdn } = await farm(depot)
  cdn.knobs.fault = (_request, number) => (number % 2 === 0 ? { do: 'status', status: 500 } : undefined)
  const { lines, progress } = reported()
  await download({ retries: { ...retries, reportAfter: 60_000 }, progress })
  expect(lines).toEqual([])
})

test('a chunk that is wrong on every server ends the download, although other chunks are delivered', async () => {
  const { download, cdn } = await farm(depot)
  const [sha] = [...depot.chunks.keys()]
  cdn.knobs.fault = ({ path }) => (path.endsWith(String(sha)) ? { do: 'corrupt' } : undefined)
  await expect(download()).rejects.toThrow(
    'no content server delivered a chunk within 2 s (last: damaged data)',
  )
})

test('unreachable servers are tried again when all others deliver nothing', async () => {
  let time = 0
  const pool = serverPool(
    [server('dead'), server('failing')],
    quickRetries,
    () => time,
    () => 0,
  )
  const signal = new AbortController().signal
  pool.done(await pool.take(signal), 'dead')
  const asked: string[] = []
  for (let round = 0; round < 5; round++) {
    time += 60_000
    const rated = await pool.take(signal)
    asked.push(rated.server.host)
    pool.done(rated, 'failed')
  }
  expect(asked.slice(0, 3)).toEqual(['failing', 'failing', 'failing'])
  expect(asked).toContain('dead')
})

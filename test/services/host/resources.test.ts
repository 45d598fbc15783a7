/** What the machine and the game use, as each host reports it. */
import { createServer } from 'node:http'
import { totalmem } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sampleOf } from '../../../handlers/resources.ts'
import { commandDriver } from '../../../services/host/command-driver.ts'
import { dockerDriver } from '../../../services/host/docker-driver.ts'
import { inspectLimit } from '../../../services/host/facts.ts'
import { pelicanDriver } from '../../../services/host/pelican-driver.ts'
import { watchResources } from '../../../services/host/resources.ts'
import { newFolder } from '../../new-folder.ts'
import { portOf } from '../../port-of.ts'
import { driverParts } from './drivers.ts'

/** A server that gives each path its answer. */
async function answering(answers: Readonly<Record<string, unknown>>) {
  const server = createServer((request, response) => {
    const found = answers[request.url ?? '']
    response.writeHead(found === undefined ? 403 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ?? {}))
  })
  const port = await portOf(server)
  onTestFinished(() => void server.close())
  return port
}

test('Docker: the stats of the one container, without streaming and without the page cache', async () => {
  const port = await answering({
    '/containers/game/stats?stream=false&one-shot=true': {
      cpu_stats: { cpu_usage: { total_usage: 5_000_000_000 }, system_cpu_usage: 1, online_cpus: 4 },
      memory_stats: { usage: 900, limit: 2000, stats: { inactive_file: 300, anon: 500 } },
    },
  })
  const host = dockerDriver({ GAME_CONTAINER: 'game', DOCKER_HOST: `tcp://127.0.0.1:${port}` }, driverParts)
  onTestFinished(() => host.close())
  expect(await host.usage()).toEqual({
    cpuSeconds: 5,
    processors: 4,
    memory: { used: 600, limit: 2000 },
  })
})

test("Pelican: the panel's resources", async () => {
  const port = await answering({
    '/api/client/servers/abc/resources': {
      attributes: { current_state: 'running', resources: { memory_bytes: 4096, cpu_absolute: 50 } },
    },
  })
  const host = pelicanDriver(
    { PELICAN_URL: `http://127.0.0.1:${port}`, PELICAN_KEY: 'key', PELICAN_SERVER: 'abc' },
    driverParts,
  )
  onTestFinished(() => host.close())
  expect(await host.usage()).toEqual({ coresNow: 0.5, memory: { used: 4096 } })
})

test.each<[string, readonly [string, ...string[]], unknown]>([
  [
    'the process of the id that GAME_RUNNING prints first',
    ['echo', String(process.pid)],
    { cpuSeconds: expect.any(Number), memory: { used: expect.any(Number) } },
  ],
  ['nothing where it prints none', ['true'], undefined],
  ['nothing where it prints something else', ['echo', 'running'], undefined],
])('command: %s', async (_what, running, usage) => {
  const host = commandDriver(
    { GAME_START: ['true'], GAME_STOP: ['true'], GAME_RUNNING: running },
    driverParts,
  )
  onTestFinished(() => host.close())
  expect(await host.usage()).toEqual(usage)
})

test('cpuPercent is of all processors, from the second look on, and not of two runs of the game', async () => {
  let [at, seconds] = [0, 10]
  const driver = { usage: async () => ({ cpuSeconds: seconds, processors: 4, memory: { used: 2 ** 20 } }) }
  const folder = newFolder()
  const { read } = watchResources({ driver, folders: [folder, folder], monotonic: () => at })
  expect((await read()).game).toEqual({ memory: { used: 2 ** 20 } })
  ;[at, seconds] = [10_000, 30]
  const { game, machine } = await read()
  expect(game).toEqual({ cpuPercent: 50, memory: { used: 2 ** 20 } })
  expect(machine.memory.total).toBe(totalmem())
  expect(machine.disks).toEqual([{ path: folder, used: expect.any(Number), total: expect.any(Number) }])
  ;[at, seconds] = [20_000, 1]
  expect((await read()).game).toEqual({ memory: { used: 2 ** 20 } })
})

test('the game is left out while its host does not answer', async () => {
  const driver = { usage: () => Promise.reject(new Error('no answer')) }
  const { read } = watchResources({ driver, folders: [], monotonic: () => 0 })
  expect(Object.keys(await read())).toEqual(['machine'])
})

test('a disk that never answers is left out, and asked once however often it is measured', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked: string[] = []
  const size = { blocks: 4, bfree: 1, bsize: 1024 }
  const statfs = (folder: string) => {
    asked.push(folder)
    return folder === '/dead' ? new Promise<never>(() => undefined) : Promise.resolve(size)
  }
  let at = 0
  const { read } = watchResources({
    driver: undefined,
    folders: ['/dead', '/alive'],
    monotonic: () => at,
    statfs,
  })
  for (at of [0, 60_000, 120_000]) {
    const measured = read()
    await vi.advanceTimersByTimeAsync(inspectLimit)
    expect((await measured).machine.disks).toEqual([{ path: '/alive', used: 3072, total: 4096 }])
  }
  expect(asked).toEqual(['/dead', '/alive', '/alive', '/alive'])
})

test('a sample has megabytes, and the percentage of the fullest disk', () => {
  const mb = 2 ** 20
  expect(
    sampleOf({
      machine: {
        cpuPercent: 12,
        memory: { used: 100 * mb, total: 200 * mb },
        disks: [
          { path: '/data', used: 1, total: 4 },
          { path: '/saves', used: 3, total: 4 },
        ],
      },
      game: { cpuPercent: 5, memory: { used: 50 * mb } },
    }),
  ).toEqual({
    machineCpuPercent: 12,
    machineMemoryMb: 100,
    gameCpuPercent: 5,
    gameMemoryMb: 50,
    diskPercent: 75,
  })
})

import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { dockerDriver } from '../../../services/host/docker-driver.ts'
import { canRun } from '../../left-out.ts'
import { portOf } from '../../port-of.ts'
import { eventually } from '../../wait.ts'
import { survivesBrokenServers } from './broken-servers.ts'
import { type Podman, podmanProblem, startPodman } from './docker-game.ts'
import { driverParts, drivesGames } from './drivers.ts'
import { order } from './orders.ts'

describe.runIf(canRun('the tests of the Docker driver', podmanProblem()))('a game in a container', () => {
  let podman: Podman
  beforeAll(async () => {
    podman = await startPodman()
  })
  afterAll(() => podman?.close())

  const open = async (name: string, ...options: string[]) => {
    const folder = await podman.create(name, ...options)
    const variables = { GAME_CONTAINER: name, DOCKER_HOST: `unix://${podman.socketPath}` }
    const host = dockerDriver(variables, driverParts)
    const kill = () => podman.machine.run('podman', 'kill', '--signal=KILL', name)
    return { host, folder, kill, close: async () => host.close() }
  }

  // With a terminal: docker-proxy.test.ts, where the same calls pass the proxy.
  describe('without a terminal', () => {
    const abilities = { console: false, exitCodes: true, times: true }
    drivesGames(() => open('plain', '--interactive'), abilities, 'log')
  })

  test('a container that runs out of memory has crashed', async () => {
    const { host, folder } = await open(
      'small',
      '--tty',
      '--interactive',
      '--memory=128m',
      '--memory-swap=128m',
    )
    await host.start()
    await order(folder, 'useMemory')
    await eventually(async () =>
      expect(await host.inspect()).toMatchObject({ state: 'crashed', exitCode: 137 }),
    )
  })

  test('a container that the engine restarts after each crash is another run each time', async () => {
    const { host, folder } = await open('restarted', '--tty', '--interactive', '--restart=on-failure:5')
    await host.start()
    const before = await host.inspect()
    await order(folder, 'exit 3')
    await eventually(async () => {
      const now = await host.inspect()
      expect(now.state).toBe('running')
      expect(now.run).not.toBe(before.run)
    })
    await host.stop(5)
    expect((await host.inspect()).state).toBe('stopped')
  })

  test('a missing container is named, with the variable to check', async () => {
    const host = dockerDriver(
      { GAME_CONTAINER: 'no-such', DOCKER_HOST: `unix://${podman.socketPath}` },
      driverParts,
    )
    for (const call of ['inspect', 'start'] as const)
      await expect(host[call]()).rejects.toMatchObject({
        failure: { kind: 'host_unavailable', sentence: expect.stringMatching(/no-such.*GAME_CONTAINER/) },
      })
    host.close()
  })
})

describe('a Docker engine at a TCP address', () => {
  survivesBrokenServers((port) =>
    dockerDriver({ GAME_CONTAINER: 'game', DOCKER_HOST: `tcp://127.0.0.1:${port}` }, driverParts),
  )
})

test('a Docker engine at a missing Unix socket is named', async () => {
  const host = dockerDriver({ GAME_CONTAINER: 'game', DOCKER_HOST: 'unix:///no/such.sock' }, driverParts)
  await expect(host.inspect()).rejects.toMatchObject({
    failure: { sentence: 'The Docker engine at /no/such.sock does not answer: there is no such socket' },
  })
})

describe('a container whose state is', () => {
  const started = '2026-11-23T04:19:01.123456789Z'
  const ended = '2026-11-23T05:00:00.5Z'
  const began = { since: Date.parse('2026-11-23T04:19:01.123Z'), run: started }
  const over = (exitCode: number) => ({ since: Date.parse(ended), run: started, exitCode })
  test.each([
    ['created', {}, { state: 'stopped' }],
    ['running', {}, { state: 'running', ...began }],
    ['running', { Health: { Status: 'starting' } }, { state: 'starting', ...began }],
    ['running', { Health: { Status: 'unhealthy' } }, { state: 'running', ...began }],
    ['running', { Health: { Status: '' } }, { state: 'running', ...began }],
    ['paused', {}, { state: 'running', ...began }],
    ['stopping', {}, { state: 'stopping', ...began }],
    ['restarting', { ExitCode: 3 }, { state: 'crashed', ...over(3) }],
    ['restarting', { ExitCode: 0 }, { state: 'starting', run: started }],
    ['exited', { ExitCode: 0 }, { state: 'stopped', ...over(0) }],
    ['exited', { ExitCode: 1 }, { state: 'crashed', ...over(1) }],
    ['exited', { ExitCode: 139 }, { state: 'crashed', ...over(139) }],
    ['exited', { ExitCode: 143 }, { state: 'stopped', ...over(143) }],
    ['exited', { ExitCode: 0, OOMKilled: true }, { state: 'crashed', ...over(0) }],
    ['stopped', { ExitCode: 0 }, { state: 'stopped', ...over(0) }],
    ['dead', { ExitCode: 137 }, { state: 'crashed', ...over(137) }],
  ] as const)('%s with %j is as it says', async (status, more, expected) => {
    const State = { Status: status, ExitCode: 0, StartedAt: started, FinishedAt: ended, ...more }
    const Config = { Tty: true, OpenStdin: true, StdinOnce: false }
    const server = createServer((_, response) => response.end(JSON.stringify({ State, Config })))
    const engine = `tcp://127.0.0.1:${await portOf(server)}`
    const host = dockerDriver({ GAME_CONTAINER: 'game', DOCKER_HOST: engine }, driverParts)
    onTestFinished(() => host.close())
    expect(await host.inspect()).toEqual(expected)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dockerDriver } from '../../../services/host/docker-driver.ts'
import { canRun } from '../../left-out.ts'
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

  describe('with a terminal', () => {
    drivesGames(() => open('terminal', '--tty', '--interactive'), {
      console: true,
      exitCodes: true,
      times: true,
    })
  })

  describe('without a terminal', () => {
    drivesGames(() => open('plain', '--interactive'), { console: false, exitCodes: true, times: true })
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

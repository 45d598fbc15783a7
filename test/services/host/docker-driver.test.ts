/** The game in a container, also by the rules of `docker-proxy` in compose.yaml, run by HAProxy in front of podman's socket. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { dockerDriver } from '../../../services/host/docker-driver.ts'
import { compose, composeWith } from '../../compose.ts'
import { canRun, isInstalled } from '../../left-out.ts'
import { portOf, unusedPort } from '../../port-of.ts'
import { eventually } from '../../wait.ts'
import { survivesBrokenServers } from './broken-servers.ts'
import { type Podman, podmanProblem, startPodman } from './docker-game.ts'
import { driverParts, drivesGames } from './drivers.ts'
import { order } from './orders.ts'

const ofProxy = 'the tests of the proxy in front of the Docker socket'
const haproxy = { name: 'haproxy', version: '-v', debianPackage: 'haproxy' }

describe.runIf(canRun('the tests of the Docker driver', podmanProblem()))('a game in a container', () => {
  let podman: Podman
  beforeAll(async () => {
    podman = await startPodman()
  })
  afterAll(() => podman?.close())

  const open = async (name: string, ...options: string[]) => {
    const folder = await podman.create(name, ...options)
    const variables = { GAME_CONTAINER: name, DOCKER_HOST: `unix://${podman.socketPath}` }
    const another = () => dockerDriver(variables, driverParts)
    const host = another()
    const kill = () => podman.machine.run('podman', 'kill', '--signal=KILL', name)
    return { host, another, folder, kill, close: async () => host.close() }
  }

  // With a terminal: behind the proxy below.
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

  describe.runIf(isInstalled(ofProxy, haproxy))('behind the Docker proxy', () => {
    let proxy: ChildProcess
    let port: number
    let folder: string

    beforeAll(async () => {
      folder = await podman.create('game.1', '--tty', '--interactive')
      await podman.create('gameX1', '--tty', '--interactive')
      port = await unusedPort()
      const config = join(podman.machine.folder, 'haproxy.cfg')
      const replaced = {
        '/tmp/haproxy.cfg': config,
        'bind :2375': `bind 127.0.0.1:${port}`,
        '/var/run/docker.sock': podman.socketPath,
      }
      const [shell = '', flags = '', written = ''] = composeWith({}).services['docker-proxy'].entrypoint ?? []
      let script = written
      for (const [theirs, ours] of Object.entries(replaced)) {
        expect(script).toContain(theirs)
        script = script.replaceAll(theirs, ours)
      }
      const { PATH = '' } = process.env
      proxy = spawn(shell, [flags, script], {
        env: { PATH, GAME_CONTAINER: 'game.1' },
        stdio: 'ignore',
      })
      await eventually(() => once(createConnection(port, '127.0.0.1'), 'connect'))
    })
    afterAll(() => void proxy?.kill())

    /** Sends bytes and reads until the other end closes. @returns the status of each answer */
    async function statuses(bytes: string): Promise<readonly string[]> {
      const socket = createConnection(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(bytes)
      const answer = await text(socket).catch(() => '')
      return [...answer.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status = '']) => status)
    }
    const request = (line: string, headers = '', body = '') =>
      `${line} HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n${headers}\r\n${body}`
    const upgrade = (line: string, headers: string) =>
      `${line} HTTP/1.1\r\nHost: docker\r\n${headers}Content-Length: 0\r\n\r\n`
    const log = 'stdout=1&stderr=1&timestamps=1'

    describe('forwards every request that the driver needs', () => {
      drivesGames(
        async () => {
          const variables = { GAME_CONTAINER: 'game.1', DOCKER_HOST: `tcp://127.0.0.1:${port}` }
          const another = () => dockerDriver(variables, driverParts)
          const host = another()
          const kill = () => podman.machine.run('podman', 'kill', '--signal=KILL', 'game.1')
          return { host, another, folder, kill, close: async () => host.close() }
        },
        { console: true, exitCodes: true, times: true },
      )
    })

    test('forwards a restart within its grace', async () => {
      expect(await statuses(request('POST /containers/game.1/restart?t=5', 'Content-Length: 0\r\n'))).toEqual(
        ['204'],
      )
    })

    const own = '/containers/game.1'
    const stats = `${own}/stats?stream=false&one-shot=true`
    test('forwards the stats of its container', async () => {
      const host = dockerDriver(
        { GAME_CONTAINER: 'game.1', DOCKER_HOST: `tcp://127.0.0.1:${port}` },
        driverParts,
      )
      await host.start()
      await eventually(async () =>
        expect(await host.usage()).toMatchObject({
          cpuSeconds: expect.any(Number),
          memory: { used: expect.any(Number) },
        }),
      )
      await host.stop(5)
      host.close()
    })

    test.each([
      ['another container', 'GET /containers/gameX1/json'],
      ['a name in other letters', 'GET /containers/GAME.1/json'],
      ['an id', 'GET /containers/0123456789ab/json'],
      ['a longer name', 'GET /containers/game.10/json'],
      ['a path below a call', `GET ${own}/json/`],
      ['all containers', 'GET /containers/json'],
      ['the engine', 'GET /info'],
      ['a ping', 'GET /_ping'],
      ['its events', 'GET /events'],
      ['images', 'GET /images/json'],
      ['a version of the API', `GET /v1.41${own}/json`],
      ["podman's own API", `GET /libpod${own}/json`],
      ['dots', 'GET /containers/game.1/../gameX1/json'],
      ['dots to its own container', `GET /containers/gameX1/../game.1/json`],
      ['encoded dots', 'GET /containers/game.1/%2e%2e/gameX1/json'],
      ['an encoded slash', 'GET /containers/game.1%2fjson'],
      ['an encoded letter', 'GET /containers/game%2e1/json'],
      ['two slashes', 'GET //containers/game.1/json'],
      ['a backslash', 'GET /containers\\game.1\\json'],
      ['a zero byte', `GET ${own}/json%00`],
      ['a parameter in the path', `GET ${own}/json;x=1`],
      ['a fragment', `GET ${own}/json#x`],
      ['a whole address', `GET http://docker${own}/json`],
      ['a whole address in capitals', `GET HTTP://docker${own}/json`],
      ['a stop at a whole address', `POST http://docker${own}/stop?t=1`],
      ['a stop at a whole address of mixed case', `POST Http://engine${own}/stop?t=1`],
      ['a restart at an address of another scheme', `POST ftp://engine${own}/restart?t=1`],
      ['a log at an address without a scheme', `GET engine${own}/logs?${log}&tail=5`],
      ['a restart in other letters', `POST ${own}/Restart?t=1`],
      ['a parameter in other letters', `POST ${own}/stop?T=1`],
      ['a parameter of inspect', `GET ${own}/json?size=1`],
      ['stats that stream', `GET ${own}/stats`],
      ['stats with other parameters', `GET ${stats}&x=1`],
      ['stats of another container', `GET ${stats.replace('game.1', 'gameX1')}`],
      ['an empty query', `GET ${own}/json?`],
      ['another method of inspect', `HEAD ${own}/json`],
      ['a method in small letters', `get ${own}/json`],
      ['a removal', `DELETE ${own}`],
      ['a change of the container', `POST ${own}/update`],
      ['another name for it', `POST ${own}/rename?name=x`],
      ['a program in it', `POST ${own}/exec`],
      ['the start of a program', 'POST /exec/1/start'],
      ['a signal', `POST ${own}/kill?signal=KILL`],
      ['a pause', `POST ${own}/pause`],
      ['its files', `GET ${own}/archive?path=/etc`],
      ['files into it', `PUT ${own}/archive?path=/etc`],
      ['an export', `GET ${own}/export`],
      ['its processes', `GET ${own}/top`],
      ['a new container', 'POST /containers/create?name=x'],
      ['a start with keys', `POST ${own}/start?detachKeys=a`],
      ['a stop without a grace', `POST ${own}/stop`],
      ['a stop with a signal', `POST ${own}/stop?t=1&signal=KILL`],
      ['a stop with a signal first', `POST ${own}/stop?signal=KILL&t=1`],
      ['an endless grace', `POST ${own}/stop?t=-1`],
      ['a grace of many digits', `POST ${own}/stop?t=99999`],
      ['an encoded grace', `POST ${own}/stop?t=%31`],
      ['a log without times', `GET ${own}/logs?stdout=1`],
      ['a log with more parameters', `GET ${own}/logs?${log}&tail=5&details=1`],
      ['a log with other parameters', `GET ${own}/logs?${log}&until=5`],
      ['a whole log', `GET ${own}/logs?${log}&tail=all`],
      ['an attach without an upgrade', `POST ${own}/attach?stream=1&stdin=1`],
      ['an attach with its log', `POST ${own}/attach?stream=1&stdin=1&logs=1`],
      ['an attach by WebSocket', `GET ${own}/attach/ws?stream=1&stdin=1`],
      ['a session', 'POST /session'],
      ['a build', 'POST /build'],
    ])('%s is refused', async (_, line) => {
      // A malformed request is 400; a well-formed one is 403.
      expect(await statuses(request(line, 'Content-Length: 0\r\n'))).toEqual([
        expect.stringMatching(/^40[03]$/),
      ])
    })

    test.each([
      ['inspect', `GET ${own}/json`, 'tcp'],
      ['stats', `GET ${stats}`, 'tcp'],
      ['logs', `GET ${own}/logs?${log}&tail=5`, 'tcp'],
      ['start', `POST ${own}/start`, 'tcp'],
      ['a program', 'POST /exec/1/start', 'tcp'],
      ['a session', 'POST /session', 'h2c'],
      ['the console with another protocol', `POST ${own}/attach?stream=1&stdin=1`, 'h2c'],
      ['the console with two protocols', `POST ${own}/attach?stream=1&stdin=1`, 'tcp, h2c'],
      ['the console with two upgrades', `POST ${own}/attach?stream=1&stdin=1`, 'tcp\r\nUpgrade: h2c'],
      ['the console with keys', `POST ${own}/attach?stream=1&stdin=1&detachKeys=a`, 'tcp'],
      ['the console of another container', 'POST /containers/gameX1/attach?stream=1&stdin=1', 'tcp'],
    ])('an upgrade at %s is refused', async (_, line, protocol) => {
      const headers = `Connection: Upgrade, close\r\nUpgrade: ${protocol}\r\n`
      expect(await statuses(upgrade(line, headers))).toEqual(['403'])
    })

    const hidden = 'GET /containers/gameX1/json HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n'
    test.each([
      ['a body', 'Content-Length: 2\r\n', '{}'],
      ['a chunked body', 'Transfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n'],
      ['both lengths', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`],
      ['two lengths', 'Content-Length: 0\r\nContent-Length: 5\r\n', hidden],
      ['a signed length', 'Content-Length: +5\r\n', hidden],
      ['a coding with a blank', 'Transfer-Encoding : chunked\r\n', `0\r\n\r\n${hidden}`],
      ['an unknown coding', 'Transfer-Encoding: xchunked\r\n', hidden],
    ])('%s does not reach the engine', async (_, headers, body) => {
      for (const status of await statuses(request(`POST ${own}/start`, headers, body)))
        expect(status).toMatch(/^40[03]$/)
    })

    test('a second request on the same connection is checked like the first', async () => {
      const first = `GET ${own}/json HTTP/1.1\r\nHost: docker\r\n\r\n`
      expect(await statuses(`${first}${hidden}`)).toEqual(['200', '403'])
    })

    test('HTTP/2 is not supported', async () => {
      expect(await statuses('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0')).toEqual(['400'])
    })
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

test('of a log of millions of lines only those that were asked for are kept', async () => {
  const lines = Buffer.alloc(16 * 1024 ** 2, 'x\n')
  const server = createServer((_, response) => response.end(Buffer.concat([lines, Buffer.from('last\n')])))
  const engine = `tcp://127.0.0.1:${await portOf(server)}`
  const host = dockerDriver({ GAME_CONTAINER: 'game', DOCKER_HOST: engine }, driverParts)
  onTestFinished(() => host.close())
  const before = process.memoryUsage.rss()
  let most = 0
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before)
  }, 5)
  expect(await host.log(2)).toEqual([{ text: 'x' }, { text: 'last' }])
  clearInterval(watching)
  expect(most).toBeLessThan(200_000_000)
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

describe('the stack', () => {
  const { services, networks } = compose

  test('only the proxy has the Docker socket, and only the control API reaches the proxy', () => {
    const withSocket = Object.entries(services).filter(([, { volumes }]) => /\.sock/.test(volumes.join()))
    expect(withSocket.map(([name]) => name)).toEqual(['docker-proxy'])
    const besideProxy = Object.entries(services).filter(([, one]) => one.networks.includes('docker'))
    expect(besideProxy.map(([name]) => name)).toEqual(['api', 'docker-proxy'])
    expect(networks['docker']).toEqual({ internal: true })
    expect(services['docker-proxy']).toMatchObject({ ports: [], profiles: ['host'], networks: ['docker'] })
    expect(services.api.environment['DOCKER_HOST']).toBe('tcp://docker-proxy:2375')
    expect(services.api.environment['GAME_CONTAINER']).toBe(
      services['docker-proxy'].environment['GAME_CONTAINER'],
    )
  })
})

/** The stack of compose.yaml as containers, from the first sign-in to its end. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { cacheFolder } from '../../deploy/images/build.ts'
import { launchBrowser } from '../browser.ts'
import { expectAccessible, expectGood, openPage } from '../dashboard/open-page.ts'
import { marker } from '../ticket/setting.ts'
import { buildTime, builtImages, describeImages } from './built.ts'
import { type Machine, startMachine } from './machine.ts'
import { address, connectNeighbour, fetchFrom, reach } from './network.ts'
import { openScreen } from './screen.ts'
import { openStack, type Stack, untilOnMachine } from './stack.ts'
import { account } from './stand-ins/account.ts'
import { startSteam, steamProxy } from './steam.ts'

const secrets = {
  apiKey: 'canary-key-of-the-control-api',
  gameKey: 'canary-key-of-the-game',
  ticketKey: 'canary-key-of-the-tickets',
}
const env = {
  COMPOSE_PROJECT_NAME: 'farm',
  API_KEY_FILE: '/run/secrets/api_key',
  GAME_API_KEY: secrets.gameKey,
  TICKET_KEY: secrets.ticketKey,
  VNC_PASSWORD: 'screen',
  PLATFORM_PROXY: steamProxy,
}
const own = ['api', 'ticket'] as const

describeImages('the stack of compose.yaml', () => {
  let machine: Machine
  let stack: Stack
  let steam: Awaited<ReturnType<typeof startSteam>>
  beforeAll(async () => {
    const images = await builtImages()
    machine = await startMachine(cacheFolder)
    stack = await openStack(machine, images, env)
    // The modes of docs/configuration.md: only the user of the containers can read it.
    const file = join(machine.folder, 'secrets/api/api_key')
    writeFileSync(file, secrets.apiKey, { mode: 0o600 })
    await machine.run('chown', '-R', '1000', join(machine.folder, 'secrets'))
    steam = await startSteam(machine, 'farm_farm')
  }, buildTime)
  afterAll(() => machine?.close())

  const inspect = (container: string, format: string) =>
    machine.run('podman', 'inspect', `--format=${format}`, container)
  const get = (path: string, headers?: Readonly<Record<string, string>>) =>
    fetchFrom(machine, `http://127.0.0.1:8080${path}`, [process.execPath], headers)

  test('`ticket setup` in a terminal signs in, downloads the game and shows no password', async () => {
    const { screen, exit, answer } = openScreen(
      machine,
      'podman',
      'run',
      '--rm',
      ...stack.arguments('ticket', { name: 'setup', options: steam.trust, command: ['setup'] }),
    )
    await answer('User name', account.name)
    await answer('Password', account.password)
    await answer('Type the Steam Guard code from the mobile app', account.code)
    expect([await exit, screen()]).toEqual([0, expect.stringContaining('Signed in. The session is saved.')])
    expect(screen()).not.toContain(account.password)
  })

  test('game, ticket service and control API start in the order of depends_on, and find each other', async () => {
    await stack.up('ticket', { options: steam.trust })
    await stack.healthy('ticket')
    await stack.up('game')
    await stack.up('api')
    await stack.healthy('api')
    await untilOnMachine(async () => (await get('/status')).startsWith('200 '))
    const ticket = () =>
      stack.exec(
        'game',
        'node',
        '-e',
        "fetch(process.env.STEAM_AUTH_URL + '/steam/app-ticket').then(async (answer) => console.log(answer.status, await answer.text()))",
      )
    // A healthy ticket service can still be signing in.
    await untilOnMachine(async () => !(await ticket()).stdout.startsWith('503 '))
    expect((await ticket()).stdout).toMatch(/^200 .*"app_ticket":"\w/)
    expect(await get('/', { accept: 'text/html' })).toMatch(/^200 <!doctype html>/i)
  })

  test('fresh volumes belong to the user of the image: sessions and records are private, the game is readable by all', async () => {
    const modes = async (name: 'api' | 'ticket', ...paths: string[]) =>
      (await stack.exec(name, 'stat', '--format=%u %a', ...paths)).stdout.split('\n')
    const sessions = '/data/platform-session'
    expect(
      await modes(
        'ticket',
        sessions,
        `${sessions}/session-junimo.json`,
        '/data/game',
        `/data/game/${marker}`,
      ),
    ).toEqual(['1000 700', '1000 600', '1000 755', expect.stringMatching(/^1000 /)])
    expect(await modes('api', '/data/farmgate')).toEqual(['1000 700'])
  })

  test('`farmgate status` in the container of the control API shows the farm', async () => {
    const { code, stdout } = await stack.exec('api', 'farmgate', 'status')
    expect([code, stdout]).toEqual([0, expect.stringContaining('State')])
  })

  test.each(own)(
    '%s runs without root and capabilities, cannot gain privileges, and writes no core dump, which would hold its secrets',
    async (name) => {
      const { stdout } = await stack.exec(name, 'cat', '/proc/1/status', '/proc/1/limits')
      expect(stdout).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m)
      expect(stdout).toMatch(/^CapEff:\t0+$/m)
      expect(stdout).toMatch(/^CapBnd:\t0+$/m)
      expect(stdout).toMatch(/^NoNewPrivs:\t1$/m)
      expect(stdout).toMatch(/^Max core file size +0 +0 /m)
    },
  )

  test.each(own)('%s has a read-only root, and only /tmp and its volumes are writable', async (name) => {
    const paths = ['/app/x', '/usr/x', '/etc/x', '/var/tmp/x']
    const { stderr } = await machine.attempt('podman', 'exec', '--user=0', name, 'touch', ...paths)
    const refused = stderr.matchAll(/'(.+)': Read-only file system/g)
    expect(Array.from(refused, ([, path]) => path)).toEqual(paths)
    expect((await stack.exec(name, 'touch', '/tmp/x')).code).toBe(0)
  })

  test.each(own)(
    '%s that uses more memory than its limit is ended, and the service continues',
    async (name) => {
      const take = 'const all = []; for (;;) all.push(Buffer.alloc(1 << 26, 1))'
      expect((await stack.exec(name, 'node', '-e', take)).code).toBe(137)
      expect(await inspect(name, '{{.State.Running}} {{.RestartCount}}')).toBe('true 0')
      expect(await stack.health(name)).toBe('healthy')
    },
  )

  test.each(own)('%s starts fewer processes than its limit, and the service continues', async (name) => {
    const start = `
      const all = []
      const next = () => {
        const child = require('node:child_process').spawn('sleep', ['60'])
        child.once('spawn', () => { all.push(child); next() })
        child.once('error', (error) => { console.log(error.code, all.length); for (const one of all) one.kill() })
      }
      next()`
    const [code, count] = (await stack.exec(name, 'node', '-e', start)).stdout.split(' ')
    expect(code).toBe('EAGAIN')
    expect(Number(count)).toBeGreaterThan(100)
    expect(Number(count)).toBeLessThan(256)
    expect(await stack.health(name)).toBe('healthy')
  })

  test('a secret in a file is neither in `inspect` nor in the environment of a process', async () => {
    expect(await get('/players')).toMatch(/^401 /)
    for (const name of own) {
      const seen = await machine.run('podman', 'inspect', name)
      for (const secret of [secrets.apiKey, account.password]) expect(seen).not.toContain(secret)
      const environment = (await stack.exec(name, 'sh', '-c', 'cat /proc/[0-9]*/environ')).stdout
      expect(environment).toContain('NODE_ENV=production')
      for (const secret of [secrets.apiKey, account.password]) expect(environment).not.toContain(secret)
    }
  })

  test('another user in a container can read the environment of no process of the service, and no session', async () => {
    for (const name of own) {
      const read = await machine.attempt('podman', 'exec', '--user=65534', name, 'cat', '/proc/1/environ')
      expect([read.code, read.stdout]).toEqual([1, ''])
      expect(read.stderr).toContain('Permission denied')
    }
    const list = await machine.attempt(
      'podman',
      'exec',
      '--user=65534',
      'ticket',
      'ls',
      '/data/platform-session',
    )
    expect(list.stderr).toContain('Permission denied')
  })

  test('no secret is in the log of a service', async () => {
    for (const name of own) {
      const { stdout, stderr } = await machine.attempt('podman', 'logs', name)
      expect(stdout + stderr).toContain('"level"')
      for (const secret of [...Object.values(secrets), account.password])
        expect(stdout + stderr).not.toContain(secret)
    }
  })

  test("the control API is reachable at the published address, and the ticket service and the game's API nowhere outside", async () => {
    const neighbour = await connectNeighbour(machine)
    expect(await get('/health')).toMatch(/^200 /)
    for (const port of [8080, 3001])
      expect(await fetchFrom(machine, `http://${address}:${port}/health`, neighbour)).toBe('ECONNREFUSED')
    expect(await fetchFrom(machine, 'http://127.0.0.1:3001/health', [process.execPath])).toBe('ECONNREFUSED')
  })

  test('the HTTPS proxy reaches the control API on its network, and neither the ticket service nor the game', async () => {
    const proxy = [
      'podman',
      'run',
      '--rm',
      `--cgroup-parent=/${machine.cgroups}`,
      '--network=farm_front',
    ] as const
    const image = await inspect('game', '{{.Image}}')
    const from = (url: string) => fetchFrom(machine, url, [...proxy, image, 'node'])
    expect(await from('http://api:8080/health')).toMatch(/^200 /)
    expect(await from('http://ticket:3001/health')).toBe('ENOTFOUND')
    expect(await from('http://game:8080/health')).toBe('ENOTFOUND')
  })

  test('a service is unhealthy while it does not answer, and healthy again afterwards', async () => {
    await Promise.all(
      own.map(async (name) => {
        const processes = (await machine.run('podman', 'top', name, 'hpid')).split('\n').slice(1)
        const signal = (what: string) => machine.run('kill', `-${what}`, ...processes)
        await signal('STOP')
        await untilOnMachine(async () => (await stack.health(name)) === 'unhealthy')
        await signal('CONT')
        await stack.healthy(name)
      }),
    )
  })

  test.each(own)('%s ends within the 5 seconds after SIGTERM', async (name) => {
    await machine.run('podman', 'stop', '--time=5', name)
    expect(await inspect(name, '{{.State.Running}} {{.State.ExitCode}}')).toBe('false 0')
  })

  test('PUBLISH_ADDRESS=0.0.0.0 publishes the control API to the network', async () => {
    await machine.run('podman', 'rm', 'api')
    const open = await openStack(machine, await builtImages(), {
      ...env,
      COMPOSE_PROJECT_NAME: 'open',
      PUBLISH_ADDRESS: '0.0.0.0',
    })
    await open.up('api')
    await open.healthy('api')
    const neighbour = ['ip', 'netns', 'exec', 'neighbour', process.execPath] as const
    expect(await fetchFrom(machine, `http://${address}:8080/health`, neighbour)).toMatch(/^200 /)
  })

  test('on a phone and in Chinese, from an empty `docker compose up` to an invite code, without a .env and a terminal', async () => {
    await machine.run('podman', 'rm', '--force', '--time=5', 'api', 'ticket', 'game')
    const settings = join(machine.folder, 'first-settings')
    mkdirSync(settings)
    const first = await openStack(machine, await builtImages(), {
      COMPOSE_PROJECT_NAME: 'first',
      SETTINGS_FOLDER: settings,
      PLATFORM_PROXY: steamProxy,
    })
    await machine.run('podman', 'network', 'connect', '--alias=steam', 'first_farm', 'steam')
    steam.hold()
    await first.up('ticket', { options: steam.trust })
    await first.healthy('ticket')
    const [running, farm] = await Promise.all([
      launchBrowser(),
      reach(machine, 8080),
      first.up('game'),
      first.up('api').then(() => first.healthy('api')),
    ])
    onTestFinished(async () => {
      await running.close()
      farm.close()
    })
    const logOf = async (name: string) => {
      const { stdout, stderr } = await machine.attempt('podman', 'logs', name)
      return stdout + stderr
    }
    const code = await untilOnMachine(
      async () => /http:\/\/localhost:8080\/#setup=([\w-]+)/.exec(await logOf('ticket'))?.[1] ?? false,
    )

    const opened = await openPage(running.browser, `${farm.url}/#setup=${code}`, {
      size: 'phone',
      locale: 'zh-CN',
    })
    const { page } = opened
    // As patient as `eventually`: processes start in five containers at once.
    page.setDefaultTimeout(60_000)
    await page.locator('svg.qr').waitFor()
    await steam.approve()
    await page.getByText(`已批准的账户： ${account.name}`).waitFor()
    await page.getByText(/ \/ /).waitFor()
    await page.getByText(/^每秒/).waitFor()
    await page.reload()
    await page.getByRole('progressbar').waitFor()
    await machine.run('podman', 'restart', '--time=5', 'ticket', 'api')
    steam.release()

    await page.getByRole('heading', { name: '您的农场', exact: true }).waitFor()
    await page.getByText('游戏正在运行。').waitFor()
    await page.getByLabel('农场名称').fill('Clover')
    await page.getByLabel('农场类型').selectOption('2')
    await page.getByLabel('初始联机小屋数').fill('3')
    await page.getByLabel('联机小屋', { exact: true }).selectOption('FarmhouseStack')
    await page.getByLabel('玩家上限').fill('6')
    await page.getByText('未设置加入密码。').waitFor()
    await page.getByRole('button', { name: '保存设置' }).click()
    await page.getByText('设置已保存。').waitFor()
    expect(JSON.parse(readFileSync(join(settings, 'server-settings.json'), 'utf8'))).toMatchObject({
      Game: { FarmName: 'Clover', FarmType: 2, StartingCabins: 3 },
      Server: { CabinStrategy: 'FarmhouseStack', MaxPlayers: 6 },
    })
    await page.locator('.invite .letters').first().waitFor()
    await expectAccessible(opened)
    await page.locator('.invite').getByText('QR', { exact: true }).first().click()
    await page.getByRole('dialog').locator('svg.qr').waitFor()
    await expectGood(opened)

    // The keys that the first start made: private files, in no log and no description of a container.
    const keys = await Promise.all(
      (
        [
          ['api', '/data/farmgate/api_key', '1000'],
          ['api', '/data/farmgate/game_api_key', '1000'],
          ['ticket', '/data/platform-session/ticket_key', '1000'],
          ['game', '/etc/farmgate/game_api_key', '0'],
          ['game', '/etc/farmgate/ticket_key', '0'],
        ] as const
      ).map(async ([name, path, owner]) => {
        expect((await first.exec(name, 'stat', '--format=%u %a', path)).stdout).toBe(`${owner} 600`)
        return (await first.exec(name, 'cat', path)).stdout
      }),
    )
    expect([new Set(keys).size, keys[3], keys[4]]).toEqual([3, keys[1], keys[2]])
    for (const name of ['api', 'ticket', 'game']) {
      const shown = (await logOf(name)) + (await machine.run('podman', 'inspect', name))
      for (const key of keys) expect([name, key.length, shown.includes(key)]).toEqual([name, 48, false])
    }
    expect((await first.exec('api', 'farmgate', 'status')).code).toBe(0)
    const closed = (url: string) =>
      first.exec('api', 'node', '-e', `fetch('${url}').then((answer) => console.log(answer.status))`)
    for (const url of [
      'http://ticket:3001/steam/app-ticket',
      'http://game:8080/players',
      'http://127.0.0.1:8080/players',
    ])
      expect([url, (await closed(url)).stdout]).toEqual([url, '401'])
    const [address = ''] =
      /STEAM_AUTH_URL=[^\0]+/.exec((await first.exec('game', 'cat', '/proc/1/environ')).stdout) ?? []
    expect(address).toBe(`STEAM_AUTH_URL=http://ticket:3001/${keys[2]}`)
  })
})

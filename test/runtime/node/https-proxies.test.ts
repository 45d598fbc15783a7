/** The HTTPS examples in deploy/, run by the real proxies in front of a control API. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { connect } from '../../../client/index.ts'
import { readText } from '../../compose.ts'
import { inherited } from '../../inherited.ts'
import { isInstalled, type Program } from '../../left-out.ts'
import { sharedFolder } from '../../new-folder.ts'
import { makeCertificate } from '../../platform/certificate.ts'
import { unusedPort } from '../../port-of.ts'
import { eventually } from '../../wait.ts'
import { type NodeServer, nodeServer } from './node-server.ts'

interface Proxy {
  readonly program: Program
  /** Writes the example with the addresses of this test. @returns the arguments of the program */
  arrange(place: Place): readonly string[]
}

interface Place {
  readonly folder: string
  readonly port: number
  readonly farmPort: number
  readonly certificate: string
  readonly key: string
}

/** The example with other addresses; each replaced text must be in it. */
function exampleWith(path: string, replaced: Readonly<Record<string, string>>): string {
  return Object.entries(replaced).reduce((example, [written, ours]) => {
    if (!example.includes(written)) throw new Error(`${path} has no ${written}`)
    return example.replace(written, ours)
  }, readText(path))
}

const caddy: Proxy = {
  program: { name: 'caddy', version: 'version', debianPackage: 'caddy' },
  arrange({ folder, port, farmPort, certificate, key }) {
    const example = exampleWith('deploy/caddy/Caddyfile', {
      '\nfarm.example {': `\nhttps://localhost:${port} {\n\ttls ${certificate} ${key}`,
      '127.0.0.1:8080': `127.0.0.1:${farmPort}`,
    })
    const config = join(folder, 'Caddyfile')
    writeFileSync(config, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${example}`)
    return ['run', '--config', config, '--adapter', 'caddyfile']
  },
}

const nginx: Proxy = {
  program: { name: 'nginx', version: '-v', debianPackage: 'nginx-light' },
  arrange({ folder, port, farmPort, certificate, key }) {
    const example = exampleWith('deploy/nginx/farmgate.conf', {
      'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
      'server_name farm.example': 'server_name localhost',
      '127.0.0.1:8080': `127.0.0.1:${farmPort}`,
      '/etc/letsencrypt/live/farm.example/fullchain.pem': certificate,
      '/etc/letsencrypt/live/farm.example/privkey.pem': key,
    })
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(folder, name)};`)
      .join('\n')
    const config = join(folder, 'nginx.conf')
    writeFileSync(
      config,
      `daemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${example}}\n`,
    )
    return ['-c', config, '-p', folder, '-e', 'stderr']
  },
}

/** A proxy in front of a farm. */
function serves({ program, arrange }: Proxy): void {
  const folder = sharedFolder()
  let farm: NodeServer
  let child: ChildProcess
  let port: number
  let ca: string
  let errors = ''

  beforeAll(async () => {
    farm = await nodeServer({ rates: { failedKeys: 2 }, server: { trustProxy: 1 } })
    port = await unusedPort()
    const made = await makeCertificate()
    made.remove()
    ca = made.cert
    writeFileSync(join(folder, 'certificate.pem'), made.cert)
    writeFileSync(join(folder, 'key.pem'), made.key)
    mkdirSync(join(folder, 'home'))
    const place = {
      folder,
      port,
      farmPort: farm.port,
      certificate: join(folder, 'certificate.pem'),
      key: join(folder, 'key.pem'),
    }
    const env = { ...inherited, HOME: join(folder, 'home') }
    child = spawn(program.name, arrange(place), { env, stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      errors += part
    })
    await eventually(() => ask('/health').then(({ status }) => status === 200)).catch((error) => {
      throw new Error(`${program.name} does not serve: ${errors}`, { cause: error })
    })
  })
  afterAll(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
    await farm.stop()
  })

  const origin = () => `https://localhost:${port}`
  async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const sent = request(`${origin()}${path}`, { method, headers, ca })
    sent.end()
    const [answer] = await once(sent, 'response')
    return { status: Number(answer.statusCode), body: await text(answer) }
  }
  const withKey = () => ({ Authorization: `Bearer ${farm.key}` })

  test('serves the API by HTTPS', async () => {
    await farm.farm.join({ id: 2n ** 62n + 1n, name: 'Abby' })
    expect(await ask('/players')).toMatchObject({ status: 401 })
    const { status, body } = await ask('/players', withKey())
    expect(status).toBe(200)
    expect(body).toContain(`"id":${2n ** 62n + 1n}`)
  })

  test('accepts changes from its own pages, and from no page of another origin', async () => {
    expect(await ask('/time?value=1200', { ...withKey(), Origin: origin() }, 'POST')).toMatchObject({
      status: 200,
    })
    expect(
      await ask('/time?value=1300', { ...withKey(), Origin: 'https://evil.example' }, 'POST'),
    ).toMatchObject({ status: 403 })
  })

  test('carries the chat by WebSocket, in both directions', async () => {
    const { key } = farm
    class Trusting extends WebSocket {
      constructor(url: string | URL) {
        super(url, { ca, origin: origin() })
      }
    }
    const live = connect({ url: origin(), key, WebSocket: Trusting }).live()
    const lines = live[Symbol.asyncIterator]()
    await live.say({ author: 'Web', message: 'hello farm' })
    await eventually(() => expect(farm.farm.relayed()).toMatchObject([{ message: 'hello farm' }]))
    await farm.farm.say(2n ** 62n + 1n, 'hello web')
    await eventually(async () => {
      const { value } = await lines.next()
      return value.type === 'chat' && value.message === 'hello web'
    })
    live.close()
  })

  test('a forged X-Forwarded-For gives a caller no further tries of keys', async () => {
    const guess = async (at: number) =>
      (await ask('/players', { Authorization: 'Bearer wrong', 'X-Forwarded-For': `192.0.2.${at}` })).status
    expect([await guess(1), await guess(2), await guess(3)]).toEqual([401, 401, 429])
  })
}

for (const proxy of [caddy, nginx]) {
  const title = `the example of ${proxy.program.name}`
  describe.runIf(isInstalled(title, proxy.program))(title, () => serves(proxy))
}

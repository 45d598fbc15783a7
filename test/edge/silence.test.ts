/** What leaves the machine without a setting: nothing. Each program runs in a network of its own, with a name server that notes each question. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { suiteKey } from '../contract/server-under-test.ts'
import { inherited } from '../inherited.ts'
import { canRun } from '../left-out.ts'
import { newFolder } from '../new-folder.ts'
import { command } from './command.ts'
import { linkKey } from './edge-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const apart = ['unshare', '--user', '--map-root-user', '--net', '--mount', '--pid', '--fork', '--kill-child']
const canIsolate =
  spawnSync('unshare', [...apart.slice(1), 'sh', '-c', 'ip link set lo up'], { stdio: 'ignore' }).status === 0

/** Notes the name in each question, then answers that there is none. */
const nameServer = `
  const { appendFileSync } = require('node:fs')
  const server = require('node:dgram').createSocket('udp4')
  server.on('message', (asked, from) => {
    const labels = []
    for (let at = 12; asked[at] > 0; at += asked[at] + 1)
      labels.push(asked.toString('latin1', at + 1, at + 1 + asked[at]))
    appendFileSync(process.argv[1], labels.join('.') + '\\n')
    asked.writeUInt16BE(0x8183, 2)
    server.send(asked, from.port, from.address)
  })
  server.bind(53, '127.0.0.1')`

/** @returns the program in a network of its own, and the names that it has asked for */
function isolated(line: string, env: Readonly<Record<string, string>>) {
  const folder = newFolder()
  const [asked, resolv] = [join(folder, 'asked'), join(folder, 'resolv.conf')]
  writeFileSync(resolv, 'nameserver 127.0.0.1\n')
  const script = `ip link set lo up; mount --bind "${resolv}" /etc/resolv.conf
    "${process.execPath}" -e '${nameServer.replaceAll("'", `'"'"'`)}' "${asked}" &
    sleep 0.5; ${line}`
  const program = command([...apart, 'sh', '-c', script], {
    ...inherited,
    HOME: folder,
    TMPDIR: folder,
    ...env,
  })
  onTestFinished(() => program.kill())
  return {
    ...program,
    names: () => (existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []),
  }
}

test.runIf(canRun('what leaves the machine', canIsolate ? undefined : 'no network of its own (unshare, ip)'))(
  'npm run edge and npm run edge:serve, its build included, ask for no name, and npm run serve for none that is not set',
  async () => {
    // So that the Worker is built.
    const now = new Date()
    utimesSync(join(root, 'wrangler.toml'), now, now)
    const keys = { API_KEY: suiteKey, LINK_KEY: linkKey }
    const noticed = isolated(
      "node -e \"require('node:dns').lookup('canary.example', () => {})\"; echo done",
      {},
    )
    await noticed.said(/(done)/)
    expect(noticed.names()).toContain('canary.example')
    const state = newFolder()
    const edge = isolated('npm run edge:serve', {
      ...keys,
      EDGE_LISTEN: '127.0.0.1:0',
      EDGE_STATE_DIR: state,
    })
    await edge.said(/"(listening)"/)
    const dev = isolated(
      `npm run edge -- --ip 127.0.0.1 --port 0 --inspector-port 0 --persist-to ${state}/dev`,
      keys,
    )
    await dev.said(/(Ready) on/)
    const farm = isolated('npm run serve', {
      API_KEY: suiteKey,
      API_PORT: '0',
      DATA_DIR: join(state, 'data'),
    })
    await farm.said(/"(listening)"/)
    const names = [edge, dev, farm].flatMap((one) => one.names())
    expect(names.filter((name) => !name.startsWith('localhost'))).toEqual([])
  },
)

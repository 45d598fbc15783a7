/**
 * What leaves the machine without a setting: nothing. Each program runs in a network of its own, which counts the
 * connections and packets to other machines, with a name server that notes each question.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { suiteKey } from '../contract/server-under-test.ts'
import { inherited } from '../inherited.ts'
import { canRun } from '../left-out.ts'
import { newFolder } from '../new-folder.ts'
import { eventually } from '../wait.ts'
import { command } from './command.ts'
import { linkKey } from './edge-server.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const apart = ['unshare', '--user', '--map-root-user', '--net', '--mount', '--pid', '--fork', '--kill-child']
const canIsolate =
  spawnSync('unshare', [...apart.slice(1), 'sh', '-c', 'ip link set lo up'], { stdio: 'ignore' }).status === 0

/** Notes the name in each question, then answers that there is none; and notes the counters of the network. */
const nameServer = `
  const { appendFileSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
  const [asked, counted] = process.argv.slice(1)
  const server = require('node:dgram').createSocket('udp4')
  server.on('message', (question, from) => {
    const labels = []
    for (let at = 12; question[at] > 0; at += question[at] + 1)
      labels.push(question.toString('latin1', at + 1, at + 1 + question[at]))
    appendFileSync(asked, labels.join('.') + '\\n')
    question.writeUInt16BE(0x8183, 2)
    server.send(question, from.port, from.address)
  })
  server.bind(53, '127.0.0.1')
  setInterval(() => {
    writeFileSync(counted + '.new', ['snmp', 'snmp6'].map((name) => readFileSync('/proc/net/' + name, 'utf8')).join('\\n'))
    renameSync(counted + '.new', counted)
  }, 200)`

/** How often a program has called another machine, to which this network has no route. */
function unroutable(counters: string): number {
  const [names = [], values = []] = [...counters.matchAll(/^Ip: (.*)$/gm)].map(([, row = '']) =>
    row.split(' '),
  )
  const [, ofIp6] = /^Ip6OutNoRoutes\s+(\d+)$/m.exec(counters) ?? []
  return Number(values[names.indexOf('OutNoRoutes')]) + Number(ofIp6 ?? 0)
}

/** @returns the program in a network of its own, and what it has asked for and called outside of it */
function isolated(line: string, env: Readonly<Record<string, string>>) {
  const folder = newFolder()
  const place = (name: string) => join(folder, name)
  writeFileSync(place('resolv.conf'), 'nameserver 127.0.0.1\n')
  const script = `ip link set lo up; mount --bind "${place('resolv.conf')}" /etc/resolv.conf
    "${process.execPath}" -e '${nameServer.replaceAll("'", `'"'"'`)}' "${place('asked')}" "${place('counted')}" &
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
    async outside() {
      const since = Date.now()
      await eventually(() => statSync(place('counted')).mtimeMs > since)
      const names = existsSync(place('asked')) ? readFileSync(place('asked'), 'utf8').trim().split('\n') : []
      return {
        names: [...new Set(names)].filter((name) => name !== '' && !name.startsWith('localhost')),
        calls: unroutable(readFileSync(place('counted'), 'utf8')),
      }
    },
  }
}

test.runIf(canRun('what leaves the machine', canIsolate ? undefined : 'no network of its own (unshare, ip)'))(
  'nothing leaves the machine that no one configured: each program asks for no name and calls no other machine at its start, the build of edge:serve included',
  { timeout: 300_000 },
  async () => {
    const calls =
      "require('node:dns').lookup('canary.example', () => {}); for (const host of ['192.0.2.7', '2001:db8::7']) require('node:net').connect(443, host).on('error', () => {})"
    const canary = isolated(`node -e "${calls}"; echo done; sleep 60`, {})
    await canary.said(/(done)/)
    expect(await canary.outside()).toEqual({ names: ['canary.example'], calls: 2 })
    // So that the Worker is built.
    const now = new Date()
    utimesSync(join(root, 'wrangler.toml'), now, now)
    const state = newFolder()
    const keys = { API_KEY: suiteKey, LINK_KEY: linkKey }
    const dev = '--ip 127.0.0.1 --port 0 --inspector-port 0'
    const ticket = { TICKET_KEY: 'ticket-key-0123456789', HOST: '127.0.0.1', PORT: '0', LOG_FORMAT: 'json' }
    const programs = [
      ['npm run edge:serve', { ...keys, EDGE_LISTEN: '127.0.0.1:0', EDGE_STATE_DIR: state }, /"(listening)"/],
      [`npm run edge -- ${dev} --persist-to ${state}/dev`, keys, /(Ready) on/],
      ['npm run serve', { API_KEY: suiteKey, API_PORT: '0', DATA_DIR: join(state, 'data') }, /"(listening)"/],
      ['npm start', { API_PORT: '0', DATA_DIR: '' }, /(Ctrl-C)/],
      [
        'npm run ticket',
        { ...ticket, GAME_DIR: join(state, 'game'), SESSION_DIR: join(state, 'session') },
        /(Listening) on port/,
      ],
      [
        'npm run farmgate -- status; echo ended; sleep 60',
        { FARMGATE_URL: 'http://127.0.0.1:9' },
        /^(ended)$/m,
      ],
    ] as const
    for (const [line, env, said] of programs) {
      const program = isolated(line, env)
      await program.said(said)
      expect([line, await program.outside()]).toEqual([line, { names: [], calls: 0 }])
      await program.kill()
    }
  },
)

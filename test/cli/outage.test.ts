/** The server ends while a command follows it, or opens no WebSocket for it. */

import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { edgeServer, linkFarm, linkKey } from '../edge/edge-server.ts'
import { portOf, unusedPort } from '../port-of.ts'
import { type NodeServer, nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'
import { at, inTerminal, newFolder, start, type Variables } from './farmgate.ts'

async function restartable() {
  const port = await unusedPort()
  const key = randomBytes(32).toString('base64')
  const url = `http://127.0.0.1:${port}`
  const DATA_DIR = newFolder()
  const env: Variables = {
    API_KEY: key,
    API_HOST: '127.0.0.1',
    API_PORT: String(port),
    LOG_LEVEL: 'error',
    DATA_DIR,
  }
  const launch = async () => {
    const server = start(['serve'], env)
    await eventually(async () => (await fetch(`${url}/health`)).ok)
    return server
  }
  let running = await launch()
  return {
    variables: { FARMGATE_URL: url, FARMGATE_KEY: key },
    async kill() {
      running.child.kill('SIGKILL')
      await running.finished
    },
    async restart() {
      running = await launch()
    },
  }
}
const abby = { id: 5046891235124875213n, name: 'Abby' }

test('chat continues after the server was killed, and then says the pending lines', async () => {
  const server = await restartable()
  const chat = start(['chat', '--as', 'Me'], server.variables)
  await eventually(() => expect(chat.stderr()).toContain('Connected.'))
  await server.kill()
  await eventually(() => expect(chat.stderr()).toContain('The connection is lost, and tried again.'))
  chat.child.stdin.write('are you back?\n')
  await server.restart()
  await eventually(() => expect(chat.stdout()).toMatch(/Me: are you back\?/))
  chat.child.kill('SIGINT')
  expect((await chat.finished).code).toBe(130)
})

test('watch says that it is connecting while the server is down, and is live again afterwards', async () => {
  const server = await restartable()
  const { screen, type, sees, exit } = inTerminal(['watch'], { ...server.variables, NO_COLOR: '1' })
  await sees('live')
  await server.kill()
  await sees('connecting …')
  const before = screen().length
  await server.restart()
  await eventually(() => expect(screen().slice(before)).toMatch(/ {2}live/))
  type('q')
  expect(await exit).toBe(0)
})

test('lines that were said while the connection was down follow once it is back', async () => {
  const server: NodeServer = await nodeServer()
  onTestFinished(() => server.stop())
  await server.farm.join(abby)
  const chat = start(['chat', '--json'], at(server))
  await eventually(async () => {
    await server.farm.say(abby.id, 'first')
    expect(chat.stdout()).toContain('"message":"first"')
  })
  const seqs = (text: string): number[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq)
      .filter((seq) => seq !== undefined)
  const last = seqs(chat.stdout()).at(-1)
  chat.child.kill('SIGKILL')
  await chat.finished
  await server.farm.say(abby.id, 'missed')
  const again = start(['chat', '--json', '--since', String(last)], at(server))
  await eventually(() => expect(again.stdout()).toContain('"message":"missed"'))
  for (const seq of seqs(again.stdout())) expect(seq).toBeGreaterThan(Number(last))
})

test('at the edge chat and watch say that the game is offline when the link is cut, and resume when it is back', async () => {
  const server = await edgeServer()
  onTestFinished(() => server.stop())
  const chat = start(['chat', '--as', 'Me'], at(server))
  const watch = inTerminal(['watch'], { ...at(server), NO_COLOR: '1' })
  await eventually(() => expect(chat.stderr()).toContain('Connected.'))
  await watch.sees(/ {2}live/)
  await server.link.close()
  await watch.sees('the game is offline')
  await eventually(() => expect(chat.stderr()).toContain('The game is offline.'))
  const before = watch.screen().length
  const again = linkFarm(server.bridge, server.url, linkKey)
  onTestFinished(() => again.close())
  await eventually(() => expect(watch.screen().slice(before)).toMatch(/ {2}live/))
  await eventually(() => expect(chat.stderr().match(/Connected\./g)).toHaveLength(2))
  chat.child.stdin.write('are you back?\n')
  await eventually(() =>
    expect(server.farm.relayed().at(-1)).toMatchObject({ author: 'Me', message: 'are you back?' }),
  )
  watch.type('q')
  expect(await watch.exit).toBe(0)
  chat.child.kill('SIGINT')
  expect((await chat.finished).code).toBe(130)
})

/**
 * A proxy that does not forward WebSockets: /health answers, and an upgrade gets that status. @returns its variables
 */
async function withoutWebSocket(status: number, body: object) {
  const server: Server = createServer((request, response) => {
    const isHealth = request.url === '/health'
    const answer = isHealth ? { status: 'ok' } : body
    response
      .writeHead(isHealth ? 200 : status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer))
  })
  // Without a listener for upgrades the server answers them as requests.
  const port = await portOf(server)
  return { FARMGATE_URL: `http://127.0.0.1:${port}`, FARMGATE_KEY: 'k' }
}

const noUpgrade = { success: false, error: 'Open this path as a WebSocket', code: 'upgrade_required' }

test('chat and watch print once why the WebSocket does not open, and try again', async () => {
  const variables = await withoutWebSocket(426, noUpgrade)
  const cause =
    /No live connection\. \S+ did not open a WebSocket\. It has too many clients, .* farmgate tries again\./g
  const running = [start(['chat'], variables), start(['watch', '--json'], variables)]
  for (const { stderr, stdout, child, finished } of running) {
    await eventually(() => expect(stderr()).toMatch(cause))
    expect(stderr().match(cause)).toHaveLength(1)
    expect(stdout()).not.toContain('No live connection')
    child.kill('SIGINT')
    expect((await finished).code).toBe(130)
  }
  const { sees, type, exit } = inTerminal(['watch'], { ...variables, NO_COLOR: '1' })
  await sees('did not open a WebSocket')
  type('q')
  expect(await exit).toBe(0)
})

test('chat and watch end with the cause at a wrong address, and do not blame the key', async () => {
  const variables = await withoutWebSocket(404, {})
  for (const args of [['chat'], ['watch', '--json']]) {
    const { code, stderr } = await start(args, variables).finished
    expect(stderr).toContain('is not the address of a farm: /ws answers with HTTP 404')
    expect(stderr).not.toContain('The key is not accepted')
    expect(code).not.toBe(0)
  }
})

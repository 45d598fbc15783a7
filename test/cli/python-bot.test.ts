/** The Python bot of docs/. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../client/index.ts'
import { type Answer, answer, offline, scripted } from '../client/scripted-server.ts'
import { ownServer } from '../contract/shared-server.ts'
import { isInstalled } from '../left-out.ts'
import { unusedPort } from '../port-of.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { eventually } from '../wait.ts'

const key = 'a key of the tests'

/** Runs the bot until the test has finished. */
function bot(url: string, ownKey = key) {
  const env = { PATH: process.env['PATH'], FARMGATE_URL: url, FARMGATE_KEY: ownKey, PAUSE: '0.05' }
  const child = spawn('python3', ['docs/bot.py'], { env, stdio: 'pipe' })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return { stdout: () => stdout, stderr: () => stderr, exitCode: exited.then(([code]) => Number(code)) }
}

const python3 = { name: 'python3', debianPackage: 'python3' }

describe.runIf(isInstalled('the bot in Python of docs/bot.md', python3))('the bot in Python', () => {
  test('greets joining players, with its own key', async () => {
    const farm = await ownServer(nodeServer)
    const { key } = await connect(farm).createKey({ name: 'Bot', scopes: ['read', 'chat'] })
    const { stdout, stderr } = bot(farm.url, key)
    await eventually(() => expect(stdout()).toMatch(/\n/))
    await farm.farm.join({ id: 2n ** 62n + 1n, name: 'Abby' })
    await eventually(() => expect(farm.farm.seen().at(-1)).toBe('Server: Welcome, Abby!'))
    expect(stderr()).toBe('')
  })

  test('hears the chat and answers "hi bot", and not what was said before it came', async () => {
    const farm = await ownServer(nodeServer)
    const { key } = await connect(farm).createKey({ name: 'Bot', scopes: ['read', 'chat'] })
    await farm.farm.join({ id: 2n ** 62n + 1n, name: 'Abby' })
    await farm.farm.say(2n ** 62n + 1n, 'hi bot')
    const { stdout, stderr } = bot(farm.url, key)
    const hello = () => farm.farm.seen().filter((line) => line === '(Web) Bot: Hello, Abby!')
    await eventually(async () => {
      await farm.farm.say(2n ** 62n + 1n, 'anyone?')
      expect(stdout()).toContain('Abby: anyone?')
    })
    expect(hello()).toEqual([])
    await farm.farm.say(2n ** 62n + 1n, 'Hi bot')
    await eventually(() => expect(hello()).toHaveLength(1))
    expect(stderr()).toBe('')
  })

  test.each<[string, Answer, RegExp]>([
    [
      'a path that farmgate does not have',
      answer(404, { success: false, error: 'Not found. Did you mean /players?', code: 'not_found' }),
      /^Not found\. Did you mean \/players\?\n$/,
    ],
    ['the 404 of another server', answer(404, '<h1>Not Found</h1>'), / answers with HTTP Error 404/],
    ['a web page', answer(200, '<h1>Welcome to nginx!</h1>'), / is not the address of a farm/],
  ])('ends with the cause at a wrong address: %s', async (_what, reply, cause) => {
    const { url } = await scripted(reply)
    const { stderr, exitCode } = bot(url)
    expect(await exitCode).toBe(1)
    expect(stderr()).toMatch(cause)
    expect(stderr().trim()).not.toContain('\n')
  })

  test('warns once with the cause at a port without a listener, and continues', async () => {
    const { stderr } = bot(`http://127.0.0.1:${await unusedPort()}`)
    await eventually(() => expect(stderr()).toMatch(/^No answer from http:.*refused.* Trying again\.\n$/))
  })

  test.each<[string, Answer]>([
    ['the game is offline', answer(503, offline, { 'retry-after': '0' })],
    ['a proxy shows a page', answer(502, '<h1>Bad Gateway</h1>', { 'retry-after': '0' })],
  ])('continues once %s no longer, after one warning', async (_what, reply) => {
    const { url, requests } = await scripted(reply, reply, reply, answer(200, { players: [] }))
    const { stdout, stderr } = bot(url)
    await eventually(() => expect(stdout()).toContain('no one'))
    expect(requests.length).toBeGreaterThan(3)
    expect(stderr().match(/Trying again/g)).toHaveLength(1)
  })
})

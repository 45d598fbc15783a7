import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog, type LogOptions } from '../../../runtime/node/log.ts'

/** Standard output of which every line is read at once. */
const read = () => {
  const lines: string[] = []
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(...String(chunk).split('\n').slice(0, -1))
      done()
    },
  })
  return { lines, output }
}
const logged = async (options: Omit<LogOptions, 'output' | 'level'>) => {
  const { lines, output } = read()
  return { lines, log: await createLog({ level: 'debug', output, ...options }) }
}
const request = {
  requestId: 'b7e2',
  method: 'POST',
  path: '/time',
  status: 200,
  ms: 3.4,
  address: '203.0.113.9',
}

test('the level of each line is a word such as info', async () => {
  const { log, lines } = await logged({ format: 'json' })
  log.debug({}, 'a')
  log.info({}, 'b')
  log.warn({}, 'c')
  log.error({}, 'd')
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(['debug', 'info', 'warn', 'error'])
})

test('each line names the farm once its name is known', async () => {
  let name: string | undefined
  const { log, lines } = await logged({ format: 'json', farm: () => name })
  log.info({}, 'listening')
  name = 'Clover'
  log.info(request, 'request')
  expect(lines.map((line) => JSON.parse(line).farm)).toEqual([undefined, 'Clover'])
})

test('pretty: a request is one line of time, level, message, method, path, status, milliseconds and request id', async () => {
  const { log, lines } = await logged({ format: 'pretty' })
  log.info(request, 'request')
  expect(lines).toEqual([
    expect.stringMatching(
      /^\[\d\d:\d\d:\d\d\] INFO: request POST \/time 200 3 ms b7e2 \{"address":"203\.0\.113\.9"\}$/,
    ),
  ])
})

test('pretty: every other entry is one line too, without control characters', async () => {
  const { log, lines } = await logged({ format: 'pretty' })
  log.error({ error: new Error('a\nb').stack, cause: { deep: ['c', 'd'] } }, 'a listener failed')
  log.warn({ player: 'e\nf\u001b[2J' }, 'the game server is unreachable: \u001b[2J\nno')
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toContain('\u001b')
})

const disguised = 'a\u009b2J\u0085b\u202ec\u2066d\u200fe\u2028f\u007f'
const unsafe = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

test('json: C1 controls and direction marks in any field are escaped, and the value is the same', async () => {
  const { log, lines } = await logged({ format: 'json', farm: () => disguised })
  log.warn({ player: disguised, deep: [{ name: disguised }], [disguised]: 1 }, disguised)
  expect(lines.join('')).not.toMatch(unsafe)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    farm: disguised,
    player: disguised,
    deep: [{ name: disguised }],
    [disguised]: 1,
    msg: disguised,
  })
})

test('pretty: C1 controls and direction marks in any field are escaped', async () => {
  const { log, lines } = await logged({ format: 'pretty', farm: () => disguised })
  log.warn({ player: disguised, deep: [{ name: disguised }], [disguised]: 1 }, disguised)
  expect(lines).toHaveLength(1)
  expect(lines.join('')).not.toMatch(unsafe)
  expect(lines.join('')).toContain('\\u202e')
})

test('for a stalled reader at most 1 MB of log waits, and the log says how many lines were dropped', async () => {
  const waiting: (() => void)[] = []
  let text = ''
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk)
      waiting.push(done)
    },
  })
  const log = await createLog({ level: 'info', format: 'json', output })
  const count = 30_000
  for (let line = 0; line < count; line += 1) log.info(request, 'request')
  expect(output.writableLength).toBeLessThan(1024 * 1024 + 1000)
  const drained = new Promise((resolve) => output.once('drain', resolve))
  for (let done = waiting.shift(); done !== undefined; done = waiting.shift()) {
    done()
    await new Promise(setImmediate)
  }
  await drained
  waiting.shift()?.()
  const lines = text.trim().split('\n')
  const last = JSON.parse(lines.at(-1) ?? '')
  expect(last).toMatchObject({ level: 'warn', msg: 'log lines were left out: standard output was not read' })
  expect(last.lines).toBe(count - (lines.length - 1))
})

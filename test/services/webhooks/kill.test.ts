import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../../bridges/simulated/random.ts'
import { newFolder } from '../../new-folder.ts'
import { eventually } from '../../wait.ts'
import { aReceiver } from './a-receiver.ts'

const program = fileURLToPath(new URL('killed.ts', import.meta.url))

const start = (...args: string[]) => {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('after kill -9 at six random moments no delivery is lost, and a repeated one has the same webhook-id and body', {
  timeout: 300_000,
}, async () => {
  const folder = newFolder()
  const receiver = await aReceiver()
  const random = seededRandom('webhooks and kill -9')
  const reported: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const child = start(folder, receiver.url, String(round * 1_000_000))
    const closed = once(child, 'close')
    let said = ''
    const words = random.whole(1, 150)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.split('\n').length > words) child.kill('SIGKILL')
    })
    await closed
    reported.push(...said.split('\n').slice(0, -1).map(Number))
  }
  const numberOf = (body: string) => (JSON.parse(body) as { data: { playerId: number } }).data.playerId
  start(folder, receiver.url)
  await eventually(() => {
    const arrived = new Set(receiver.received.map(({ body }) => numberOf(body)))
    return reported.every((number) => arrived.has(number))
  })
  const bodies = new Map<unknown, Set<string>>()
  for (const { headers, body } of receiver.received) {
    const id = headers['webhook-id']
    bodies.set(id, (bodies.get(id) ?? new Set()).add(body))
  }
  expect(reported.length).toBeGreaterThan(100)
  expect([...bodies.values()].filter(({ size }) => size !== 1)).toEqual([])
  // A repeat is the same delivery, so the first arrivals are in the order of their events.
  const firsts = [...bodies.values()].map(([body = '']) => numberOf(body))
  expect(firsts).toEqual(firsts.toSorted((one, other) => one - other))
  expect(new Set(firsts).size).toBe(firsts.length)
})

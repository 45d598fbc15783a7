/** Whether an instance has its place in the cluster. */
import { expect, test } from 'vitest'
import { acceptance } from '../../own-edge/worker/acceptance.ts'
import { notAcceptedHeader } from '../../runtime/edge/instance-ready.ts'

const [yes, no] = [async () => true, async () => false]
const refused = () => Promise.reject(new Error('refused'))
const second = 1000

function asked() {
  let now = 1_800_000_000_000
  const answer = acceptance(() => now)
  return async (after: number, isIn: () => Promise<boolean>, reach: () => Promise<unknown>) => {
    now += after * second
    const unready = await answer({ isIn, reach })
    return unready === undefined
      ? 'ready'
      : unready.headers.has(notAcceptedHeader)
        ? 'not accepted'
        : unready.status
  }
}

test('an accepted instance is ready for 45 s without an answer of another one, which may have just ended, and then is not until it is accepted again', async () => {
  const ask = asked()
  expect(await ask(0, yes, yes)).toBe('ready')
  expect(await ask(5, yes, refused)).toBe('ready')
  expect(await ask(39.9, yes, refused)).toBe('ready')
  expect(await ask(0.1, yes, refused)).toBe('not accepted')
  expect(await ask(60, yes, refused)).toBe('not accepted')
  expect(await ask(5, yes, yes)).toBe('ready')
  // The 45 s begin with the last acceptance.
  expect(await ask(44, yes, yes)).toBe('ready')
  expect(await ask(44, yes, refused)).toBe('ready')
})

test('an instance that was never accepted is not ready at once, and one that has left the cluster neither', async () => {
  const ask = asked()
  expect(await ask(0, yes, refused)).toBe('not accepted')
  expect(await ask(5, no, yes)).toBe(503)
  expect(await ask(5, refused, yes)).toBe(503)
  expect(await ask(5, yes, yes)).toBe('ready')
})

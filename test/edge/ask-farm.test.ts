/** The answer to a client when the object of the farm does not answer, for each documented error of the platform. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Problem, problemBody } from '../../handlers/problem.ts'
import { askFarm } from '../../runtime/edge/ask-farm.ts'
import { watchedFarm } from '../../runtime/edge/watched-farm.ts'
import { type LogLine, recorder, silent } from '../logs.ts'

const broken = new Error('Durable Object reset because its code was updated.')
const overloaded = Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true })

async function reported(method: string, error: Error) {
  const lines: LogLine[] = []
  const farm = { fetch: () => Promise.reject(error) }
  const request = new Request('https://edge.example/time?value=1200', { method })
  const problem: unknown = await askFarm(farm, request, recorder(lines)).catch((reason: unknown) => reason)
  expect(lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'error: the farm object ended before it answered',
  ])
  if (!(problem instanceof Problem)) throw new Error(`no problem: ${problem}`)
  return { status: problem.status, ...problemBody(problem) }
}

test.each(['POST', 'DELETE'])(
  '%s to an object that ends before it answers: whether the change was made is unknown',
  async (method) => {
    expect(await reported(method, broken)).toEqual({
      status: 504,
      success: false,
      code: 'game_timeout',
      error: 'The game server did not answer; whether the change was made is unknown',
    })
  },
)

test.each([
  ['GET', broken],
  ['HEAD', broken],
  ['POST', overloaded],
])('%s that changed nothing can be sent again: %s', async (method, error) => {
  expect(await reported(method, error)).toMatchObject({ status: 503, code: 'game_unavailable', retry: true })
})

describe('an owner that stops answering', () => {
  /**
   * It never answers the request, and gives signs of life until a time.
   * @returns the problem, and when it came; both times in milliseconds after the request
   */
  async function answered(method: string, isLong: boolean, silentFrom: number) {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const began = Date.now()
    const never = new Promise<never>(() => {})
    const owner = {
      fetch: () => never,
      alive: () => (Date.now() - began < silentFrom ? Promise.resolve() : never),
    }
    const request = new Request('https://edge.example/keys', { method })
    const answer = askFarm(watchedFarm(owner, isLong), request, silent).catch((problem: unknown) => ({
      status: problem instanceof Problem ? problem.status : undefined,
      at: Date.now() - began,
    }))
    await vi.advanceTimersByTimeAsync(60_000)
    return answer
  }
  const within = (milliseconds: number) =>
    expect.toSatisfy((at: number) => at <= milliseconds, `at most ${milliseconds}`)

  test.each([0, 100, 4100, 9400])(
    'is 503 for a read, and for a write that was not sent; else 504; within 10 s of the request: silent after %i ms',
    async (silentFrom) => {
      expect(await answered('GET', false, silentFrom)).toEqual({ status: 503, at: within(9500) })
      const status = silentFrom === 0 ? 503 : 504
      expect(await answered('POST', false, silentFrom)).toEqual({ status, at: within(9500) })
    },
  )

  test.each([0, 100, 4100, 30_000])(
    'is noticed in a longer call within 6 s, and within 10 s of the request: silent after %i ms',
    async (silentFrom) => {
      const soon = within(Math.max(9500, silentFrom + 6000))
      expect(await answered('GET', true, silentFrom)).toEqual({ status: 503, at: soon })
      expect(await answered('POST', true, silentFrom)).toEqual({
        status: silentFrom === 0 ? 503 : 504,
        at: soon,
      })
    },
  )
})

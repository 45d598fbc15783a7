/** The answer to a client when the object of the farm does not answer, for each documented error of the platform. */
import { expect, test } from 'vitest'
import { Problem, problemBody } from '../../handlers/problem.ts'
import { askFarm } from '../../runtime/edge/ask-farm.ts'
import { type LogLine, recorder } from '../logs.ts'

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

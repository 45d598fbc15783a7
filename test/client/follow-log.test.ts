/** The log that a program follows, over drops of the connection. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { connect, followLog, type LogEvent } from '../../client/index.ts'
import { reconnected, SteeredSocket } from './steered-socket.ts'

/** A server whose log has these lines, until the test adds others. */
function followed() {
  vi.useFakeTimers()
  SteeredSocket.all.length = 0
  onTestFinished(() => void vi.useRealTimers())
  const printed: string[] = ['one', 'two']
  const answers: PromiseWithResolvers<void>[] = []
  const received: LogEvent[] = []
  const farm = connect({
    url: 'http://farm.example',
    key: 'key',
    WebSocket: SteeredSocket,
    onProblem: () => undefined,
    async fetch() {
      const lines = printed.map((text) => ({ text }))
      const answer = Promise.withResolvers<void>()
      answers.push(answer)
      await answer.promise
      return Response.json({ lines })
    },
  })
  const live = followLog(farm, { lines: 3, onLine: (line) => received.push(line), onError: () => undefined })
  onTestFinished(live.close)
  return {
    printed,
    received,
    /** The last lines arrive, as they were at the time of the request. */
    async answered() {
      answers.shift()?.resolve()
      await vi.advanceTimersByTimeAsync(0)
    },
    sent: (text: string) => SteeredSocket.last.deliver('event', { topic: 'log', text }),
  }
}
const texts = (received: readonly LogEvent[]) =>
  received.map((line) => ('text' in line ? line.text : line.missing))

test('lines that arrive while the last ones are read follow them, and none comes twice', async () => {
  const { received, answered, sent } = followed()
  SteeredSocket.last.accept()
  sent('two')
  sent('three')
  await answered()
  sent('four')
  expect(texts(received)).toEqual(['one', 'two', 'three', 'four'])
})

test('lines printed while the connection was lost follow when it is back', async () => {
  const { printed, received, answered, sent } = followed()
  SteeredSocket.last.accept()
  await answered()
  SteeredSocket.last.drop()
  printed.push('three')
  await reconnected()
  SteeredSocket.last.accept()
  await answered()
  sent('four')
  expect(texts(received)).toEqual(['one', 'two', 'three', 'four'])
})

test('if lines were printed that can no longer be read, the log says that some may be missing', async () => {
  const { printed, received, answered } = followed()
  SteeredSocket.last.accept()
  await answered()
  SteeredSocket.last.drop()
  printed.splice(0, 2, 'eight', 'nine')
  await reconnected()
  SteeredSocket.last.accept()
  await answered()
  expect(texts(received)).toEqual(['one', 'two', 0, 'eight', 'nine'])
})

test('if the connection opens again while the last lines are still read, the newest read alone counts', async () => {
  const { printed, received, answered, sent } = followed()
  SteeredSocket.last.accept()
  SteeredSocket.last.drop()
  printed.push('three')
  await reconnected()
  SteeredSocket.last.accept()
  sent('four')
  await answered()
  expect(texts(received)).toEqual([])
  sent('five')
  await answered()
  expect(texts(received)).toEqual(['one', 'two', 'three', 'four', 'five'])
})

/** The rendering rate and the time of day, without a server; the game is a plain object. */
import { describe, expect, test } from 'vitest'
import { rendering } from '../../../handlers/endpoints/rendering.ts'
import { setRendering } from '../../../handlers/endpoints/set-rendering.ts'
import { setTime } from '../../../handlers/endpoints/set-time.ts'
import { call, fails, problemFrom, remembered } from '../plain-game.ts'

describe('/rendering', () => {
  test('GET is {"fps"}', async () => {
    expect(await call(rendering, '', { rendering: async () => 15 })).toEqual({ fps: 15 })
  })

  test('POST answers the previous rate and the new one', async () => {
    const { asked, write } = remembered(30)
    expect(await call(setRendering, 'fps=15', { setRendering: write })).toEqual({
      success: true,
      fps: 15,
      previousFps: 30,
      message: 'Rendering enabled at 15 fps',
    })
    expect(asked).toEqual([[15]])
  })

  test('POST fps=0 disables rendering', async () => {
    expect(await call(setRendering, 'fps=0', { setRendering: async () => 15 })).toMatchObject({
      fps: 0,
      previousFps: 15,
      message: 'Rendering disabled',
    })
  })

  test.each(['', 'fps=', 'fps=-1', 'fps=241', 'fps=1.5', 'fps=1&fps=2'])(
    'POST ?%s is 400 and makes no request to the game',
    async (search) => {
      const problem = await problemFrom(call(setRendering, search))
      expect([problem.status, problem.code, problem.details.parameter]).toEqual([
        400,
        'invalid_parameter',
        'fps',
      ])
    },
  )
})

describe('POST /time', () => {
  test('sets the time, minutes 0 to 59, 600 to 2600 inclusive', async () => {
    for (const value of [600, 659, 1200, 2559, 2600]) {
      const { asked, write } = remembered(undefined)
      expect(await call(setTime, `value=${value}`, { setTime: write })).toEqual({
        success: true,
        timeOfDay: value,
        message: `Time set to ${value}`,
      })
      expect(asked).toEqual([[value]])
    }
  })

  test.each(['', 'value=599', 'value=2601', 'value=1275', 'value=660', 'value=x'])(
    '?%s is 400 and makes no request to the game',
    async (search) => {
      const problem = await problemFrom(call(setTime, search))
      expect([problem.status, problem.details.parameter]).toEqual([400, 'value'])
    },
  )

  test('a write that timed out has an unknown outcome, and the text says so', async () => {
    const problem = await problemFrom(
      call(setTime, 'value=900', { setTime: fails({ kind: 'timeout', write: true }) }),
    )
    expect([problem.status, problem.code]).toEqual([504, 'game_timeout'])
    expect(problem.message).toContain('unknown')
  })
})

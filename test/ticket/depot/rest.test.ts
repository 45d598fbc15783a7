import { expect, test } from 'vitest'
import { serverPool } from '../../../ticket/depot/cdn/servers.ts'
import { server } from '../../platform/depot-platform.ts'

test('who waits for servers that rest is let go with the signal’s reason', async () => {
  const patience = { rest: 60_000, longestRest: 60_000, idle: 1, tries: 1 }
  const pool = serverPool(
    [server('a')],
    patience,
    () => 0,
    () => 1,
  )
  const stop = new AbortController()
  pool.done(await pool.take(stop.signal), 'failed')
  const taken = pool.take(stop.signal)
  stop.abort(new Error('rain'))
  await expect(taken).rejects.toThrow('rain')
})

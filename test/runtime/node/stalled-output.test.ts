/** A process ends although the reader of its log has stopped reading. */
import { once } from 'node:events'
import { spawn as spawnInTerminal } from '@lydell/node-pty'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../new-folder.ts'
import { programs } from '../../programs.ts'
import { eventually } from '../../wait.ts'
import { serving } from './farmgate-process.ts'

const key = 'stalled-stalled-stalled'
/** More than a pipe or a terminal can buffer. */
async function fillTheLog(url: string): Promise<void> {
  const path = `/${'x'.repeat(190)}`
  for (let turn = 0; turn < 20; turn += 1)
    await Promise.all(
      Array.from({ length: 25 }, async () => {
        const response = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } })
        expect(response.status).toBe(404)
        await response.arrayBuffer()
      }),
    )
}

const env = { API_KEY: key, RATE_LIMIT_READS: '0' }

describe('a stalled reader of the log', () => {
  test.each(['json', 'pretty'])(
    'on a pipe with %s lines does not stop requests or the end of the process',
    async (format) => {
      const { child, url, signal } = await serving({ ...env, LOG_FORMAT: format })
      child.stdout?.pause()
      await fillTheLog(url)
      const exited = once(child, 'exit')
      signal('SIGTERM')
      expect(await exited).toEqual([0, null])
    },
  )

  test('at a stopped terminal does not stop requests or the end of the process', async () => {
    const terminal = spawnInTerminal(process.execPath, [programs.serve], {
      cols: 1000,
      env: {
        ...env,
        PATH: process.env['PATH'],
        DATA_DIR: newFolder(),
        API_PORT: '0',
        API_HOST: '127.0.0.1',
      },
    })
    let isThere = true
    onTestFinished(() => {
      if (isThere) process.kill(terminal.pid, 'SIGKILL')
    })
    let text = ''
    terminal.onData((more) => {
      text += more
    })
    await eventually(() => expect(text).toMatch(/"url":"http:/))
    const [, url = ''] = /"url":"(http:[^"]+)"/.exec(text) ?? []
    terminal.pause()
    await fillTheLog(url)
    process.kill(terminal.pid, 'SIGTERM')
    await eventually(() => {
      expect(() => process.kill(terminal.pid, 0)).toThrow('ESRCH')
      isThere = false
    })
  })
})

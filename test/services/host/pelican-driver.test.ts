import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pelicanDriver } from '../../../services/host/pelican-driver.ts'
import { portOf } from '../../port-of.ts'
import { eventually, pause } from '../../wait.ts'
import { survivesBrokenServers } from './broken-servers.ts'
import { driverParts, drivesGames, failureOf } from './drivers.ts'
import { order } from './orders.ts'
import { startPanel } from './stand-ins/panel.ts'

const key = 'pacc_canary-of-the-client-key'

async function openGame() {
  const folder = mkdtempSync(join(tmpdir(), 'farmgate-'))
  const panel = await startPanel(folder, key, '1a7ce997')
  const variables = { PELICAN_URL: panel.url, PELICAN_KEY: key, PELICAN_SERVER: '1a7ce997' }
  const another = () => pelicanDriver(variables, driverParts)
  const host = another()
  return {
    panel,
    variables,
    host,
    another,
    folder,
    kill: async () => panel.kill(),
    async close() {
      host.close()
      await panel.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A running game, until the test ends. */
async function runningGame() {
  const game = await openGame()
  onTestFinished(() => game.close())
  await game.host.start()
  await eventually(async () => expect((await game.host.inspect()).state).toBe('running'))
  const heard: string[] = []
  game.host.follow(({ text }) => heard.push(text))
  return { ...game, heard }
}

describe('a game at a panel', () => {
  drivesGames(openGame, { console: true, exitCodes: true, times: false })

  test.each(['token expiring', 'token expired'] as const)(
    'the log is followed over a "%s"',
    async (event) => {
      const { panel, folder, heard } = await runningGame()
      for (const round of [1, 2, 3]) {
        const before = panel.issued
        panel.expire(event)
        await eventually(() => expect(panel.issued).toBeGreaterThan(before))
        // An event before the renewal is lost to every client of such a panel.
        await eventually(async () => {
          await order(folder, `print round ${round}`)
          await pause(50)
          expect(heard).toContain(`round ${round}`)
        })
      }
    },
  )

  test('a state that every object has is unknown, and a frame of 20,000 arguments is not read', async () => {
    const { panel, host, heard } = await runningGame()
    panel.say('status', 'constructor')
    panel.say('status', ...Array.from({ length: 20_000 }, () => 'offline'))
    panel.say('console output', 'after it')
    await eventually(() => expect(heard).toContain('after it'))
    expect(await host.inspect()).toMatchObject({ state: 'running' })
  })

  test('the log is followed again after the node has closed the WebSocket', async () => {
    const { panel, folder, heard } = await runningGame()
    panel.dropSockets()
    await eventually(async () => {
      await order(folder, 'print again')
      await pause(50)
      expect(heard).toContain('again')
    })
  })

  test('a node that accepts no WebSocket is named for the log, and the panel reports the state', async () => {
    const { variables } = await runningGame()
    // Another origin than the panel's.
    const PELICAN_URL = variables.PELICAN_URL.replace('127.0.0.1', 'localhost')
    const host = pelicanDriver({ ...variables, PELICAN_URL }, driverParts)
    onTestFinished(() => host.close())
    expect(await host.inspect()).toEqual({ state: 'running' })
    await expect(host.log(5)).rejects.toMatchObject({
      failure: { kind: 'host_unavailable', sentence: expect.stringContaining('PELICAN_URL') },
    })
  })

  test.each([
    ['a key that the panel refuses', { PELICAN_KEY: 'pacc_canary-of-another-key' }, 'PELICAN_KEY'],
    ['a server that it does not have', { PELICAN_SERVER: 'other' }, 'PELICAN_SERVER'],
  ])('%s is named, and no error repeats the key', async (_, wrong, variable) => {
    const { variables } = await runningGame()
    const host = pelicanDriver({ ...variables, ...wrong }, driverParts)
    onTestFinished(() => host.close())
    for (const ended of await Promise.allSettled([host.inspect(), host.start(), host.log(5)])) {
      expect(ended).toMatchObject({
        status: 'rejected',
        reason: { failure: { kind: 'host_unavailable', sentence: expect.stringContaining(variable) } },
      })
      expect(JSON.stringify(ended)).not.toContain('canary')
    }
  })
})

describe('a panel', () => {
  survivesBrokenServers((port) =>
    pelicanDriver(
      { PELICAN_URL: `http://127.0.0.1:${port}`, PELICAN_KEY: key, PELICAN_SERVER: 'a' },
      driverParts,
    ),
  )

  test.each(['ftp://node', 'ws://node#', 'not a URL', 'ws://node:99999'])(
    'that names %s as its WebSocket is host_unavailable for the log',
    async (socket) => {
      const server = createServer((_, response) =>
        response.end(JSON.stringify({ data: { token: 'a', socket } })),
      )
      const PELICAN_URL = `http://127.0.0.1:${await portOf(server)}`
      const host = pelicanDriver({ PELICAN_URL, PELICAN_KEY: key, PELICAN_SERVER: 'a' }, driverParts)
      onTestFinished(() => host.close())
      expect(await failureOf(host.log(5))).toBe('host_unavailable')
    },
  )
})

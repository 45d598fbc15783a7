/** The cause of an outage is one value, which every surface of a farm says. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type CauseCode, causeSentence } from '../../../handlers/cause.ts'
import { run } from '../../cli/farmgate.ts'
import { commandProcess } from '../../game-server/command-process.ts'
import { startGameServer } from '../../game-server/game-server.ts'
import { newFolder } from '../../new-folder.ts'
import { portOf } from '../../port-of.ts'
import { eventually } from '../../wait.ts'
import { openedFarm } from './open-farm.ts'
import { scrape } from './scrape.ts'

const key = 'causes-causes-causes-causes-causes'
type Variables = Readonly<Record<string, string>>

async function aGame() {
  const game = await startGameServer({ key: 'the-key-of-the-game', snapshotEvery: 50 })
  onTestFinished(() => game.stop())
  return { game, variables: { GAME_API_URL: game.url, GAME_API_KEY: 'the-key-of-the-game' } }
}

async function opened(variables: Variables) {
  const farm = await openedFarm({ API_KEY: key, RATE_LIMIT_READS: '0', ...variables })
  const ask = async (path: string) => {
    const answer = await fetch(`${farm.url}${path}`, { headers: { Authorization: `Bearer ${key}` } })
    return { status: answer.status, body: Object(await answer.json()) }
  }
  return { ...farm, ask }
}

/** A farm on the game, once it serves it. */
async function served(variables: Variables) {
  const farm = await opened(variables)
  await eventually(async () => expect((await farm.ask('/players')).status).toBe(200))
  return farm
}

async function hostedGame() {
  const { game, variables } = await aGame()
  const { variables: host, looked, end } = commandProcess()
  const farm = await served({ ...variables, ...host })
  await looked()
  return { farm, game, end }
}

/** Causes each outage. @returns the farm, and whether its game no longer serves */
const outages: Readonly<Partial<Record<CauseCode, () => Promise<Awaited<ReturnType<typeof opened>>>>>> = {
  async connection_refused() {
    const { game, variables } = await aGame()
    const farm = await served(variables)
    await game.down()
    return farm
  },
  async no_answer() {
    const server = createServer(() => undefined)
    return opened({ GAME_API_URL: `http://127.0.0.1:${await portOf(server)}` })
  },
  async key_refused() {
    const { variables } = await aGame()
    return opened({ ...variables, GAME_API_KEY: 'another-key-than-the-game' })
  },
  async not_its_api() {
    const server = createServer((_request, response) => response.end('<html>Welcome to nginx'))
    return opened({ GAME_API_URL: `http://127.0.0.1:${await portOf(server)}` })
  },
  async frozen() {
    const { game, variables } = await aGame()
    const farm = await served(variables)
    game.world.isFrozen = true
    return farm
  },
  async ticket_service() {
    const { variables } = await aGame()
    return served({ ...variables, PLATFORM_AUTH_URL: 'http://127.0.0.1:9' })
  },
  async disk() {
    const { variables } = await aGame()
    const folder = join(newFolder(), 'data')
    writeFileSync(folder, 'a file, not a folder')
    return served({ ...variables, DATA_DIR: folder })
  },
  async process_crashed() {
    const { farm, game, end } = await hostedGame()
    end()
    await game.down()
    return farm
  },
  async process_stopped() {
    const { farm, game } = await hostedGame()
    const begun = await fetch(`${farm.url}/host/stop`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ when: 'now', force: true }),
    })
    expect(begun.status).toBe(202)
    await game.down()
    return farm
  },
}

test.each(Object.entries(outages))(
  '%s: GET /status and GET /health, GET /join, the metric, the log, the doctor and `farmgate status` say this cause',
  async (code, begin) => {
    const { ask, url, log } = await begin()
    const { message, next } = causeSentence(code as CauseCode)
    const cause = { code, message, next, since: expect.stringMatching(/^\d{4}-.*Z$/) }
    await eventually(async () => {
      expect((await ask('/status')).body).toMatchObject({ cause })
      expect((await ask('/health')).body).toMatchObject({ cause })
    })
    const metrics = await scrape(url, key)
    expect(
      metrics
        .filter(({ name, value }) => name === 'farmgate_cause' && value === 1)
        .map(({ labels }) => labels['code']),
    ).toEqual([code])
    const { checks, first } = (await ask('/join')).body
    expect(first).toBe(code === 'ticket_service' ? 'sign_in' : 'process')
    if (first === 'process') expect(checks[0]).toEqual({ check: 'process', state: 'wrong', message, next })
    await eventually(() =>
      expect(log.map(({ message: said }) => said)).toContain(`a problem: ${message} ${next}`),
    )
    const variables = { FARMGATE_URL: url, FARMGATE_KEY: key }
    const shown = await run(['status'], variables)
    expect(`${shown.stdout}${shown.stderr}`.replaceAll(/\s+/g, ' ')).toContain(`${message} ${next}`)
    const found = (await run(['doctor', '--json', '--patience', '1'], variables)).stdout
    expect(found).toContain(code === 'ticket_service' ? 'ticket service' : JSON.stringify(message))
  },
)

test('with 503 too, and every call and command that fails by it says it', async () => {
  const { game, variables } = await aGame()
  const { ask, url } = await served(variables)
  await game.down()
  const { message, next } = causeSentence('connection_refused')
  for (const path of ['/status', '/players', '/cabins'])
    await eventually(async () =>
      expect(await ask(path)).toMatchObject({
        status: 503,
        body: { code: 'game_unavailable', retry: true, cause: { code: 'connection_refused', message, next } },
      }),
    )
  expect(await run(['players'], { FARMGATE_URL: url, FARMGATE_KEY: key })).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`${message}\n${next}`),
  })
})

test('a cause is over when the game is back', async () => {
  const { game, variables } = await aGame()
  const { ask } = await served(variables)
  await game.down()
  await eventually(async () => expect((await ask('/health')).body).toHaveProperty('cause'))
  await game.up()
  await eventually(async () => {
    const { status, body } = await ask('/status')
    expect({ status, cause: body.cause }).toEqual({ status: 200, cause: undefined })
  })
})

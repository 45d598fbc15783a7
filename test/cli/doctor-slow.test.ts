/** The doctor's checks of slow parts. */
import { expect, test } from 'vitest'
import { asCheck, doctor, strong } from './doctor.ts'
import type { Variables } from './farmgate.ts'
import { answering, farmWith, healthWith } from './faulty.ts'

const slow = 3000
const tooSlow = 6000
const slowFix = 'It is slow: look for load on its machine, and at the network.'

/** The parts of an installation, each at its own address. @param after milliseconds until any of them answers */
async function installation(after: number): Promise<Variables> {
  const late = (body: object, status = 200) => ({ body, status, after })
  const farm = farmWith({}, { '/health': () => late(healthWith()) })
  return {
    FARMGATE_URL: await answering(farm),
    FARMGATE_KEY: strong,
    API_KEY: `${strong}2`,
    API_PORT: new URL(await answering(farmWith())).port,
    GAME_API_URL: await answering({ '/players': late({ players: [] }) }),
    GAME_API_KEY: strong,
    PLATFORM_AUTH_URL: await answering({ '/health': late({ logged_in: true, token_days_remaining: 100 }) }),
    EDGE_URL: await answering({
      '/health': late(healthWith()),
      '/link': { status: 426 },
      '/history/days': late({ days: [] }),
    }),
    EDGE_LINK_KEY: 'link-key-that-is-long-enough',
  }
}

test('a farm, game server, ticket service, edge and link that take seconds are reported as slow', async () => {
  const { code, faults } = await doctor(await installation(slow))
  // A slow answer gives an inexact clock of the farm.
  const reported = faults.filter((one) => (one as { check: string }).check !== 'clock')
  const names = ['game server', 'ticket service', 'edge', 'link', 'farmgate']
  expect(reported).toEqual(names.map((name) => asCheck([name, 'warning', /after \d{4} ms/, slowFix])))
  expect(code).toBe(0)
})

test('a farm, game server, ticket service and edge without an answer within 5 s are reported as unreachable', async () => {
  const { code, faults } = await doctor(await installation(tooSlow))
  const silent = /does not answer: no answer within 5 s/
  expect(faults).toEqual([
    asCheck(['game server', 'broken', silent, 'Start it with API_ENABLED=true, and check GAME_API_URL.']),
    asCheck(['ticket service', 'broken', silent, 'Start it, and check PLATFORM_AUTH_URL.']),
    asCheck(['edge', 'broken', silent, 'Check EDGE_URL, and that the Worker is deployed.']),
    asCheck(['farmgate', 'broken', silent, 'Check the address, and start farmgate: npm run serve.']),
  ])
  expect(code).toBe(1)
})

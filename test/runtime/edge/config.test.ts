import { expect, test } from 'vitest'
import { configOf } from '../../../runtime/edge/config.ts'
import { config } from '../node/config-reading.ts'

test('the Worker and the control API have the same defaults', () => {
  const node = config({})
  expect(configOf({})).toEqual({
    basePath: node.API_BASE_PATH,
    rates: {
      reads: node.RATE_LIMIT_READS,
      writes: node.RATE_LIMIT_WRITES,
      anonymous: node.RATE_LIMIT_ANONYMOUS,
      failedKeys: node.RATE_LIMIT_FAILED_KEYS,
    },
    maxClients: node.WS_MAX_CLIENTS,
    allowedOrigins: node.ALLOWED_ORIGINS,
    publicInviteCodes: node.PUBLIC_INVITE_CODES,
    refusalsAs200: node.REFUSALS === '200',
    discord: undefined,
    problems: [],
  })
})

test('an invalid variable of the Worker is logged and counts as not set; the others apply', () => {
  const settings = configOf({
    FARM: { getByName: () => undefined },
    API_KEY: 'canary',
    RATE_LIMIT_READS: 'many',
    RATE_LIMIT_WRITES: '7',
    RATE_LIMIT_ANONYMOS: '1',
    ALLOWED_ORIGINS: '*',
    PUBLIC_INVITE_CODES: 'Yes',
    REFUSALS: '200',
  })
  expect(settings).toMatchObject({
    rates: { reads: 600, writes: 7, anonymous: 600 },
    publicInviteCodes: true,
    refusalsAs200: true,
  })
  expect(settings.allowedOrigins).toEqual([])
  expect(settings.problems.map(({ variable }) => variable).sort()).toEqual([
    'ALLOWED_ORIGINS',
    'RATE_LIMIT_ANONYMOS',
    'RATE_LIMIT_READS',
  ])
})

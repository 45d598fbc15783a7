import { expect, onTestFinished, test, vi } from 'vitest'
import { configOf } from '../../../runtime/edge/config.ts'
import { edgeLog } from '../../../runtime/edge/log.ts'
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
    publicBadge: node.PUBLIC_BADGE,
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

/** Levels of the lines in a log. */
function written(level: string | undefined): unknown[] {
  const lines: unknown[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line).level))
  onTestFinished(() => spy.mockRestore())
  const log = edgeLog(level)
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log[name]({}, 'a line')
  return lines
}

test('LOG_LEVEL at the edge accepts the same levels as the other processes', () => {
  expect(written(undefined)).toEqual(['info', 'warn', 'error'])
  expect(written('nonsense')).toEqual(['info', 'warn', 'error'])
  expect(written('trace')).toEqual(['debug', 'info', 'warn', 'error'])
  expect(written('warn')).toEqual(['warn', 'error'])
  for (const none of ['fatal', 'silent']) expect(written(none)).toEqual([])
})

test('C1 controls and direction marks in any field of a line are escaped, and the value is the same', () => {
  const disguised = 'a\u009b2J\u202eb\u2066c\u200fd\u2028'
  const lines: string[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
  onTestFinished(() => spy.mockRestore())
  edgeLog('info', disguised).warn({ player: disguised, deep: [{ name: disguised }] }, disguised)
  expect(lines.join('')).not.toMatch(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    farm: disguised,
    player: disguised,
    deep: [{ name: disguised }],
    msg: disguised,
  })
})

import { expect, test } from 'vitest'
import { readConfig } from '../../../runtime/node/config.ts'
import { secretsOf, withoutSecrets } from '../../../runtime/node/secrets.ts'
import { textCleaner } from '../../../services/host/clean-text.ts'

test('no secret of the configuration is in a line of the log, not even as a part of an address', () => {
  const secrets = {
    API_KEY: 'canary-api-key-32-characters-long',
    GAME_API_KEY: 'canary game key',
    EDGE_LINK_KEY: 'canary-link',
    BACKUP_S3_ACCESS_KEY_ID: 'canary-id',
    BACKUP_S3_SECRET_ACCESS_KEY: 'canary/secret+key',
    BACKUP_PASSPHRASE: 'canary:passphrase of the copies',
    PELICAN_KEY: 'ptlc_canary',
  }
  const reading = readConfig({
    env: {
      ...secrets,
      GAME_API_URL: 'http://user:canary-password@game:8080',
      PLATFORM_AUTH_URL: 'http://ticket:3001/canary-ticket-key-of-the-service',
      EDGE_URL: 'https://edge.example/farms/meadow',
      BACKUP_S3_URL: 'https://s3.example/bucket/farm',
    },
    readFile: () => '',
    isTerminal: false,
    newKey: () => '',
  })
  if ('problems' in reading) expect.fail(JSON.stringify(reading.problems))
  const clean = textCleaner(secretsOf(reading.config))
  const all = [...Object.values(secrets), 'canary-password', 'canary-ticket-key-of-the-service']
  for (const secret of all) {
    expect(clean(`[game] ${secret} was sent`)).toBe('[game] … was sent')
    expect(clean(encodeURIComponent(secret))).toBe('…')
  }
  // The rest can be read.
  expect(clean('GET http://game:8080/status https://s3.example/bucket/farm meadow')).toContain(
    'game:8080/status',
  )
})

test('a game that farmgate starts gets none of its secrets in its environment', () => {
  const kept = { PATH: '/bin', DISPLAY: ':0', API_PORT: '8080' }
  const secrets = {
    API_KEY: 'a',
    API_KEY_FILE: '/run/secrets/api',
    GAME_API_KEY: 'b',
    EDGE_LINK_KEY: 'c',
    BACKUP_PASSPHRASE_FILE: '/run/secrets/backup',
    PELICAN_KEY: 'd',
    PLATFORM_AUTH_URL: 'http://ticket:3001/canary',
  }
  expect(withoutSecrets({ ...kept, ...secrets })).toEqual(kept)
})

/** Commands in the environment of `farmgate serve`, such as in the container of the control API. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharedServer } from '../contract/shared-server.ts'
import { nodeServer } from '../runtime/node/node-server.ts'
import { newFolder, run } from './farmgate.ts'

describe('in the environment of farmgate serve', () => {
  const server = sharedServer(nodeServer)
  const own = () => ({ API_KEY: server().key, API_PORT: new URL(server().url).port, API_HOST: '0.0.0.0' })

  test('a command uses the farm of that environment when no other is named', async () => {
    expect(await run(['status'], own())).toMatchObject({ code: 0, stderr: '' })
    const folder = newFolder()
    const file = join(folder, 'api_key')
    writeFileSync(file, server().key)
    chmodSync(file, 0o600)
    const { API_KEY, ...rest } = own()
    expect(API_KEY).not.toBe('')
    expect(await run(['players'], { ...rest, API_KEY_FILE: file })).toMatchObject({ code: 0 })
    expect(await run(['players'], { ...rest, KEYS_DIR: folder })).toMatchObject({ code: 0 })
  })

  test('its key is sent to no other address', async () => {
    expect(await run(['players', '--url', server().url], own())).toMatchObject({ code: 3 })
  })
})

/** `npm run ticket` as a separate process, logged on to a stand-in for Steam. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { startPlatform } from '../platform/platform.ts'
import { eventually } from '../wait.ts'
import { type ServerProcess, startServer } from './server-process.ts'

/** The command of `npm run ticket`, with its options of Node. */
const [, ...ticket] = packageJson.scripts.ticket.split(' ')

/** Starts it on a free port of loopback, with nothing to download, and waits until it has a ticket. */
export async function startTicketService(key: string): Promise<ServerProcess> {
  const platform = await startPlatform()
  const account = platform.book.add({
    name: 'junimo',
    password: 'a password',
    steamId: '76561198000000001',
    code: 'K7Q2X',
    email: 'j***@example.com',
  })
  const folder = mkdtempSync(join(tmpdir(), 'soak-ticket-'))
  const gameDir = join(folder, 'game')
  mkdirSync(gameDir)
  writeFileSync(join(gameDir, '.download-manifest-413150'), '{}')
  const server = await startServer({
    args: [...ticket, 'serve'],
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_FORMAT: 'json',
      TICKET_KEY: key,
      PLATFORM_REFRESH_TOKEN: platform.token(account),
      PLATFORM_PROXY: platform.proxyUrl,
      NODE_EXTRA_CA_CERTS: platform.certificateFile,
      GAME_DIR: gameDir,
      SESSION_DIR: join(folder, 'session'),
      // As in the image.
      MALLOC_ARENA_MAX: '2',
    },
    log: 'stderr',
    listening: /Listening on port (\d+)/,
  })
  const headers = { authorization: `Bearer ${key}` }
  await eventually(async () => {
    const answer = await fetch(`${server.url}/steam/app-ticket`, { headers })
    await answer.arrayBuffer()
    return answer.ok
  })
  return {
    ...server,
    async kill() {
      await server.kill()
      await platform.close()
      rmSync(folder, { recursive: true })
    },
  }
}

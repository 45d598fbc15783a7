import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../clock.ts'
import { secretsOf } from '../config.ts'
import { makeBackgroundDownload } from '../depot/thread/unattended-download.ts'
import { makeLog } from '../log.ts'
import { PlatformError, type PlatformPort } from '../platform-port.ts'
import { makeSecrets } from '../secrets.ts'
import { keepSession } from './keep-session.ts'
import { signInTimeouts } from './open-session.ts'
import { sessionStore } from './session-file.ts'
import type { FromThread, ThreadStart, ToThread } from './thread-messages.ts'

/**
 * The session's own thread: the platform library takes half a second of the processor to load and may throw where no
 * one catches. Neither must hold up or end the HTTP side.
 */
async function main(start: ThreadStart): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('this file is a thread of serve')
  const send = (message: FromThread) => port.postMessage(message)
  const secrets = makeSecrets()
  const { config } = start
  secrets.hide(...secretsOf(config))
  const log = makeLog({ level: config.logLevel, pretty: start.pretty, secrets })
  const platform = keepSession(
    { config, log, secrets, clock: systemClock, store: sessionStore(config.sessionDir), ...signInTimeouts },
    makeBackgroundDownload(config, log),
  )
  const tell = () => send({ kind: 'state', state: platform.state(), download: platform.downloadStatus() })
  platform.onChange(tell)
  tell()
  port.on('message', async (message: ToThread) => {
    try {
      send({ kind: 'answer', id: message.id, answer: await perform(platform, message) })
    } catch (error) {
      const known = error instanceof PlatformError ? error : new PlatformError('timeout', null)
      if (known !== error) log.error('A request failed for a reason nobody foresaw', { error: String(error) })
      send({ kind: 'error', id: message.id, error: known.kind, result: known.result })
    }
    if (message.name === 'close') port.close()
  })
}

async function perform(platform: PlatformPort, message: ToThread) {
  switch (message.name) {
    case 'requestTicket':
      return platform.requestTicket()
    case 'createLobby':
      return platform.createLobby(message.ask)
    case 'setLobby':
      await platform.setLobby(message.ask.id, message.ask)
      return null
    case 'leaveLobby':
      await platform.leaveLobby(message.ask)
      return null
    case 'close':
      await platform.close()
      return null
  }
}

await main(workerData)

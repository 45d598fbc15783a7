import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../clock.ts'
import { secretsOf } from '../config.ts'
import { makeBackgroundDownload } from '../depot/thread/unattended-download.ts'
import { PlatformError } from '../errors.ts'
import { makeLog } from '../log.ts'
import { makeSecrets } from '../secrets.ts'
import { threadRpc } from '../thread-rpc.ts'
import { keepSession } from './keep-session.ts'
import { signInTimeouts } from './open-session.ts'
import { sessionStore } from './session-file.ts'
import type { SessionListener, SessionThreadCalls, ThreadStart } from './thread-calls.ts'

/**
 * The session's own thread: the Steam library takes half a second of the processor to load and may throw where no
 * one catches. Neither must hold up or end the HTTP side.
 */
if (!parentPort) throw new Error('this file is a thread of serve')
const { config, pretty }: ThreadStart = workerData
const secrets = makeSecrets()
secrets.hide(...secretsOf(config))
const log = makeLog({ level: config.logLevel, pretty, secrets })
const session = keepSession(
  { config, log, secrets, clock: systemClock, store: sessionStore(config.sessionDir), ...signInTimeouts },
  makeBackgroundDownload(config, log),
)
const listener = threadRpc<SessionListener, SessionThreadCalls>(
  parentPort,
  {
    requestTicket: () => known(session.requestTicket()),
    createLobby: (settings) => known(session.createLobby(settings)),
    setLobby: (id, settings) => known(session.setLobby(id, settings)),
    leaveLobby: (id) => known(session.leaveLobby(id)),
    close: () => session.close(),
  },
  ['changed'],
)
const tell = () => void listener.changed(session.state(), session.downloadStatus())
session.onChange(tell)
tell()

/** What the Steam library throws besides is for the log; to a caller it is as if Steam had not answered. */
async function known<Answer>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await request
  } catch (error) {
    if (error instanceof PlatformError) throw error
    log.error('A request to Steam failed with an unexpected error', { error: String(error) })
    throw new PlatformError('timeout')
  }
}

import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../lib/clock.ts'
import { returnStartMemory } from '../../lib/start-memory.ts'
import { secretsOf } from '../config.ts'
import { makeBackgroundDownload } from '../depot/thread/background-download.ts'
import { PlatformError } from '../errors.ts'
import { makeLog } from '../log.ts'
import { makeSecrets } from '../secrets.ts'
import { threadRpc } from '../thread-rpc.ts'
import { keepSession } from './keep-session.ts'
import { signInTimeouts } from './open-session.ts'
import { sessionStore } from './session-file.ts'
import type { SessionListener, SessionThreadCalls, ThreadStart } from './thread-calls.ts'

/**
 * The thread that keeps the session. Loading the Steam library blocks a thread for half a second, and the library can
 * throw in its own callbacks. In a separate thread, neither delays nor ends the HTTP side.
 */
if (!parentPort) throw new Error('this file is a thread of serve')
const { config, pretty, colours }: ThreadStart = workerData
const secrets = makeSecrets()
secrets.hide(...secretsOf(config))
const log = makeLog({ level: config.logLevel, pretty, colours, secrets })
const session = keepSession(
  { config, log, secrets, clock: systemClock, store: sessionStore(config.sessionDir), ...signInTimeouts },
  makeBackgroundDownload(config, log),
)
const listener = threadRpc<SessionListener, SessionThreadCalls>(
  parentPort,
  {
    requestTicket: () => platformErrorsOnly(session.requestTicket()),
    createLobby: (settings) => platformErrorsOnly(session.createLobby(settings)),
    setLobby: (id, settings) => platformErrorsOnly(session.setLobby(id, settings)),
    leaveLobby: (id) => platformErrorsOnly(session.leaveLobby(id)),
    renewToken: () => platformErrorsOnly(session.renewToken()),
    repairGame: () => platformErrorsOnly(session.repairGame()),
    setupStatus: () => session.setupStatus(),
    beginSignIn: () => session.beginSignIn(),
    retryDownload: () => session.retryDownload(),
    finishRenewal: () => session.finishRenewal(),
    close: () => session.close(),
  },
  ['changed'],
)
const sendState = () => void listener.changed(session.state(), session.downloadStatus())
session.onChange(sendState)
sendState()
returnStartMemory()

/** Passes PlatformErrors on. Any other error is logged, and the caller gets a PlatformError `timeout`. */
async function platformErrorsOnly<Answer>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await request
  } catch (error) {
    if (error instanceof PlatformError) throw error
    log.error({ error: String(error) }, 'A request to Steam failed with an unexpected error')
    throw new PlatformError('timeout')
  }
}

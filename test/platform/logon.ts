import { pause } from '../wait.ts'
import { tokenEnd } from './accounts.ts'
import { type Call, logOff, type Reply } from './connection.ts'
import { decode, encode } from './protobufs.ts'
import { message, result, type World } from './world.ts'

/** Adds responders for the logon with a refresh token, and for the logoff. */
export function addLogon(world: World): void {
  let sessions = 1000

  world.onMessage('ClientLogon', async ({ frame, connection }: Call) => {
    const details = decode('CMsgClientLogon', frame.body)
    await pause(world.knobs.logonDelay)
    const token = String(details.access_token ?? '')
    const account = world.book.tokens.get(token)
    const refused = account ? world.knobs.logonResult : 'AccessDenied'
    if (account && refused === 'OK' && tokenEnd(token) < world.now()) return reply(result('Expired'))
    if (!account || refused !== 'OK') return reply(result(refused))
    const logonId = readLogonId(details.obfuscated_private_ip)
    for (const other of world.connections) {
      if (other !== connection && other.account === account && other.logonId === logonId) {
        logOff(other, result('LogonSessionReplaced'))
      }
    }
    connection.account = account
    connection.logonId = logonId
    connection.sessionId = ++sessions
    const { logOffResult } = world.knobs
    // After the reply to the logon has been sent.
    if (logOffResult !== undefined) setImmediate(() => logOff(connection, result(logOffResult)))
    return reply(1)
  })

  world.onMessage('ClientLogOff', ({ connection }) => {
    connection.account = null
    connection.socket.close()
    return undefined
  })

  function reply(outcome: number): Reply {
    const body = encode('CMsgClientLogonResponse', {
      eresult: outcome,
      // Must be above 0: the client would otherwise send heartbeats without a pause.
      heartbeat_seconds: 30,
      rtime32_server_time: world.now(),
      cell_id: 42,
      public_ip: { v4: 0x7f000001 },
    })
    return { message: message('ClientLogOnResponse'), body, multi: true }
  }
}

function readLogonId(address: unknown): number {
  return typeof address === 'object' && address !== null && 'v4' in address ? Number(address.v4) : 0
}

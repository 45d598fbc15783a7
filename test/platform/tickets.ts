import { randomBytes } from 'node:crypto'
import { pause } from '../wait.ts'
import { decode, encode } from './protobufs.ts'
import { message, result, type World } from './world.ts'

/** All issued tickets: the bytes of the EncryptedAppTicket messages, oldest first. */
export type TicketLog = readonly Buffer[]

/** Adds the responder for app tickets. @returns the issued tickets */
export function addTickets(world: World): TicketLog {
  const made: Buffer[] = []
  world.onMessage('ClientRequestEncryptedAppTicket', async ({ frame, connection }) => {
    const { app_id } = decode('CMsgClientRequestEncryptedAppTicket', frame.body)
    const outcome = connection.account ? world.knobs.ticketResult : 'AccessDenied'
    await pause(world.knobs.ticketDelay)
    const reply = { app_id, eresult: result(outcome) }
    if (outcome !== 'OK') return answer(reply)
    const ticket = {
      ticket_version_no: 1,
      crc_encryptedticket: randomBytes(4).readUInt32LE(),
      // A zero that is encoded explicitly. A client that decodes and encodes the ticket again would drop it.
      cb_encrypteduserdata: 0,
      cb_encrypted_appownershipticket: 178,
      encrypted_ticket: randomBytes(248),
    }
    made.push(encode('EncryptedAppTicket', ticket))
    return answer({ ...reply, encrypted_app_ticket: ticket })
  })
  return made
}

function answer(body: object) {
  return {
    message: message('ClientRequestEncryptedAppTicketResponse'),
    body: encode('CMsgClientRequestEncryptedAppTicketResponse', body),
  }
}

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Connection } from './connection.ts'
import { type Frame, readFrame, writeFrame, writeMulti } from './frame.ts'
import { EMsg } from './protobufs.ts'
import { type DispatchingWorld, message } from './world.ts'

/** The WebSocket connection manager: reads frames, gets a reply from the responders of the world and sends it. */
export function connectionManager(world: DispatchingWorld): {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
} {
  const server = new WebSocketServer({ noServer: true })

  function open(socket: WebSocket): void {
    const connection: Connection = { socket, account: null, logonId: 0, sessionId: 0 }
    world.connections.add(connection)
    socket.on('error', () => socket.terminate())
    socket.on('message', (data) => void receive(connection, bytesOf(data)))
    socket.on('close', () => {
      world.connections.delete(connection)
      world.closed(connection)
    })
  }

  async function receive(connection: Connection, bytes: Buffer): Promise<void> {
    const frame = readFrame(bytes)
    if (!frame) return
    const name = nameOf(frame)
    const reply = await world.answer(name, { frame, connection })
    if (!reply || connection.socket.readyState !== connection.socket.OPEN) return
    const isMethod = typeof frame.header.target_job_name === 'string'
    const header = {
      jobid_target: frame.header.jobid_source,
      // The client drops the reply to a service method when it lacks the name of the method.
      ...(isMethod ? { target_job_name: frame.header.target_job_name } : {}),
      ...(connection.account
        ? { steamid: connection.account.steamId, client_sessionid: connection.sessionId }
        : {}),
      eresult: reply.result ?? 1,
      ...reply.header,
    }
    const number = reply.message ?? message('ServiceMethodResponse')
    const out = writeFrame(number, header, reply.body)
    connection.socket.send(reply.multi ? writeMulti(out) : out)
  }

  return {
    upgrade(request, socket, head) {
      if (world.knobs.hangs === 'connection manager') return
      if (world.knobs.refuseSockets) {
        socket.destroy()
        return
      }
      server.handleUpgrade(request, socket, head, open)
    },
  }
}

function nameOf(frame: Frame): string {
  const method = frame.header.target_job_name
  return typeof method === 'string' ? method : String(EMsg[frame.message] ?? frame.message)
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}

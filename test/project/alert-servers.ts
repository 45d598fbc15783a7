/** The servers that a farm connects to, on loopback until the test ends. */
import { createServer, type Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { heartbeat } from '../../bridges/linked/protocol.ts'
import { portOf } from '../port-of.ts'

async function serverOn(server: Server) {
  return `http://127.0.0.1:${await portOf(server)}`
}

/** A ticket service whose token lasts so many days, on loopback. */
export const ticketService = (days: number | undefined, isSignedIn = true) => {
  const health = JSON.stringify({ logged_in: isSignedIn, token_days_remaining: days })
  return serverOn(createServer((_request, response) => response.end(health)))
}

/** An edge on loopback that accepts links. @param linked called with each */
export function edge(linked: (ws: WebSocket) => void = () => undefined) {
  const server = createServer()
  new WebSocketServer({ server, path: '/link' }).on('connection', (ws) => {
    ws.on('message', (text) => {
      if (String(text) === heartbeat.ping) ws.send(heartbeat.pong)
    })
    ws.once('message', () => {
      ws.send(JSON.stringify({ type: 'welcome', generation: 1, heard: 0 }))
      linked(ws)
    })
  })
  return serverOn(server)
}

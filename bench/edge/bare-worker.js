/** For comparison: a Worker, its object and its sockets, which pass texts on and do nothing else. */
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'

export default {
  fetch: (request, env) => env.FARM.getByName('bare').fetch(request),
}

export class FarmObject extends DurableObject {
  #waiting = new Map()
  #next = 0

  async fetch(request) {
    if (request.headers.get('upgrade') === 'websocket') {
      const { 0: client, 1: server } = new WebSocketPair()
      this.ctx.acceptWebSocket(server, [new URL(request.url).pathname])
      return new Response(null, { status: 101, webSocket: client })
    }
    const [link] = this.ctx.getWebSockets('/link')
    const id = String(this.#next++)
    const body = await new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      link.send(id)
    })
    return new Response(body, { headers: { 'Content-Type': 'application/json' } })
  }

  webSocketMessage(ws, message) {
    const [tag] = this.ctx.getTags(ws)
    if (tag !== '/link') return ws.send('{"type":"auth_success"}')
    const end = message.indexOf('\n')
    if (end < 0) {
      for (const client of this.ctx.getWebSockets('/ws')) client.send(message)
      return
    }
    const id = message.slice(0, end)
    this.#waiting.get(id)(message.slice(end + 1))
    this.#waiting.delete(id)
  }
}

export class FleetObject extends DurableObject {}

/** What the launcher of the edge calls. */
export class Control extends WorkerEntrypoint {}

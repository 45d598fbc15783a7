/** Many chat clients of the edge in one process. */
import { WebSocket } from 'ws'
import { serveSubject } from '../measure.ts'

const [wsUrl = '', key = ''] = process.argv.slice(2)
/** Maximum of concurrent handshakes. */
const maxHandshakes = 20

const clients: { readonly ws: WebSocket; heard: number; lastSeq: number; broken: boolean }[] = []
let delays: number[] = []

function open(): Promise<void> {
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(wsUrl, { perMessageDeflate: false })
    const client = { ws, heard: 0, lastSeq: 0, broken: false }
    ws.on('open', () => ws.send(JSON.stringify({ type: 'auth', payload: { token: key } })))
    ws.on('message', (data) => {
      const text = String(data)
      if (text === '{"type":"auth_success"}') {
        clients.push(client)
        resolve()
        return
      }
      // Not parsed as JSON, because the clients would then need more processor time than the edge.
      const [, said, number] = /"message":"(\d+)".*"seq":(\d+)/.exec(text) ?? []
      if (said === undefined) return
      const seq = Number(number)
      if (client.lastSeq !== 0 && seq !== client.lastSeq + 1) client.broken = true
      client.lastSeq = seq
      client.heard += 1
      delays.push(Date.now() - Number(said))
    })
    ws.on('error', reject)
  })
}

serveSubject({
  async connect(count: number) {
    for (let left = count; left > 0; left -= maxHandshakes)
      await Promise.all(Array.from({ length: Math.min(maxHandshakes, left) }, open))
    return clients.length
  },
  /**
   * `lines`: how many lines each client has received; `broken`: clients that missed a line; `open`: connected clients;
   * `delays`: milliseconds from farm to client of each line since the last call.
   */
  heard() {
    const answer = {
      lines: clients.map(({ heard }) => heard),
      broken: clients.filter(({ broken }) => broken).length,
      open: clients.filter(({ ws }) => ws.readyState === ws.OPEN).length,
      delays,
    }
    delays = []
    return answer
  },
})

/** For comparison: the farm's end of a bare link. It answers every request with the same body. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { chatMessage } from '../../handlers/chat/messages.ts'
import { serveSubject } from '../measure.ts'

const [url = '', body = ''] = process.argv.slice(2)
const link = new WebSocket(`${url.replace('http', 'ws')}/link`, { perMessageDeflate: false })
await once(link, 'open')
link.on('message', (id) => link.send(`${id}\n${body}`))
let seq = 0

serveSubject({
  isLinked: () => true,
  /** As the line of a farm. */
  say() {
    seq += 1
    const now = Date.now()
    const line = {
      type: 'chat',
      playerName: 'Abby',
      message: String(now),
      timestamp: new Date(now).toISOString(),
    } as const
    link.send(chatMessage(line, seq))
  },
})

/** A simulated farm with the control API on its own port and a link to an edge, as with `npm run serve`. */
import { randomUUID } from 'node:crypto'
import { openLink } from '../../bridges/linked/farm-end/dial.ts'
import { farmChat } from '../../handlers/chat/farm-chat.ts'
import { ChatHistory } from '../../handlers/chat/history.ts'
import { digestOf, keyCheck } from '../../lib/keys.ts'
import { startServer } from '../../runtime/node/server.ts'
import { dispatchOf } from '../../test/edge/farm-dispatch.ts'
import { portsOf } from '../../test/farm-ports.ts'
import { silent } from '../../test/logs.ts'
import { memoryRecords } from '../../test/records/memory-records.ts'
import { plainServer } from '../../test/runtime/node/plain-server.ts'
import { serveSubject } from '../measure.ts'
import { steeredFarm } from '../measured-server.ts'

const [url = '', key = '', linkKey = ''] = process.argv.slice(2)
const speaker = 7n

const game = steeredFarm()
game.controls.join({ id: speaker, name: 'Abby' })
const chat = farmChat(game, new ChatHistory(Date.now() * 1000))
const records = memoryRecords()
const server = await startServer(
  {
    ...plainServer,
    farm: portsOf(game, { records }),
    chat,
    keys: keyCheck(digestOf(key)),
    maxClients: 10,
  },
  { port: 0, host: '127.0.0.1' },
)
const link = openLink({
  urls: [url],
  key: linkKey,
  game,
  chat,
  records,
  dispatch: dispatchOf(game, { records }),
  keys: { named: undefined, onChange: () => () => undefined },
  keepsChat: true,
  log: silent,
  rates: { reads: 0, writes: 0 },
  run: randomUUID(),
  monotonic: () => performance.now(),
  random: Math.random,
})

serveSubject({
  port: () => server.port,
  isLinked: () => link.isOpen,
  /** Says a line whose text is the time, milliseconds since 1970. */
  say: () => game.controls.say(speaker, String(Date.now())),
})

/** A process that floods a server from one address, on several connections that it opens again when they are closed. */
import { connect, type Socket } from 'node:net'
import { serveSubject } from '../../../bench/measure.ts'
import { floods, ticketFloods } from '../floods.ts'

const [portText = '', key = '', name = ''] = process.argv.slice(2)
const flood = { ...floods(key), ...ticketFloods }[name]
if (flood === undefined) throw new Error(`no flood is called ${name}`)
const { connections, opening = '', repeated = '', isStubborn = false, bytesPerSecond } = flood

let sent = 0
let opened = 0
const statuses = new Map<string, number>()
const sockets = new Set<Socket>()

function open(): void {
  const socket = connect({ port: Number(portText), host: '127.0.0.1', allowHalfOpen: isStubborn })
  sockets.add(socket)
  opened += 1
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => {
    for (const [, status = ''] of bytes.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (flood?.isOnce) socket.destroy()
  })
  socket.on('close', () => {
    sockets.delete(socket)
    setTimeout(open, 10)
  })
  socket.write(opening)
}

for (let count = 0; count < connections; count += 1) open()

const tick = 10
const chunk = Buffer.from(repeated, 'latin1')
let owed = 0
setInterval(() => {
  owed = Math.min(owed + (bytesPerSecond * tick) / 1000, bytesPerSecond)
  for (const socket of sockets) {
    if (chunk.length === 0 || owed < chunk.length) return
    if (!socket.writable || socket.connecting || socket.writableNeedDrain) continue
    socket.write(chunk)
    owed -= chunk.length
    sent += chunk.length
  }
}, tick)

serveSubject({ report: () => ({ sent, opened, statuses: Object.fromEntries(statuses) }) })

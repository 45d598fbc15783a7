/**
 * A game that a host runs: it prints the orders of a socket in the folder of its first argument, and the lines typed at
 * its console.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { socketIn } from './orders.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)
const folder = process.argv[2] ?? ''
let isDeaf = false
process.on('SIGTERM', () => {
  if (isDeaf) return print('no')
  print('the game ends')
  process.exit(0)
})
createInterface({ input: process.stdin }).on('line', (line) => print(`typed: ${line}`))

const orders: Readonly<Record<string, (argument: string) => unknown>> = {
  print: (text) => print(text),
  printError: (text) => process.stderr.write(`${text}\n`),
  printBytes: (base64) => process.stdout.write(Buffer.from(base64, 'base64')),
  async printMany(count) {
    for (let line = 0; line < Number(count); line += 1)
      if (!process.stdout.write(`line ${line} ${'x'.repeat(88)}\n`)) await once(process.stdout, 'drain')
  },
  exit: (code) => process.exit(Number(code)),
  beDeaf: () => {
    isDeaf = true
  },
  useMemory() {
    const used: Buffer[] = []
    for (;;) used.push(Buffer.alloc(16 * 1024 * 1024, 1))
  },
}
rmSync(socketIn(folder), { force: true })
createServer((socket) => {
  createInterface({ input: socket }).on('line', async (order) => {
    const [name = '', argument = ''] = order.split(/ (.*)/s)
    await orders[name]?.(argument)
    socket.end('done')
  })
}).listen(socketIn(folder), () => print('the game is ready'))

import { once } from 'node:events'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../wait.ts'

/** The socket at which a game of `game.ts` takes orders. */
export const socketIn = (folder: string) => join(folder, 'game.sock')

/** Sends the game an order, as soon as it listens. @returns when the game has carried it out, or has ended */
export async function order(folder: string, what: string): Promise<void> {
  const socket = await eventually(async () => {
    const opened = createConnection(socketIn(folder))
    await once(opened, 'connect')
    return opened
  })
  const done = new Promise((resolve) => socket.on('data', resolve).on('error', resolve).on('close', resolve))
  socket.write(`${what}\n`)
  await done
  socket.destroy()
}

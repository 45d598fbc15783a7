import { once } from 'node:events'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../../wait.ts'

/** The socket at which a game of `game.ts` takes orders. */
export const socketIn = (folder: string) => join(folder, 'game.sock')

/** Orders the game to do something, as soon as it listens. @returns when it has done it, or has ended */
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

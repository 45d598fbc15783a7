import type { Platform } from '../platform.ts'
import type { FromThread, Question, ToThread } from './messages.ts'
import { errorOf } from './refusal.ts'

interface Waiting {
  resolve(answer: unknown): void
  reject(error: unknown): void
}

/** The platform's port in the download's thread: each call is a question to the thread that has the session. */
export function askingPlatform(send: (message: FromThread) => void): {
  readonly platform: Platform
  /** Hands an answer to who waits for it. */
  readonly settle: (message: Exclude<ToThread, { kind: 'abort' }>) => void
} {
  const waiting = new Map<number, Waiting>()
  let lastId = 0

  const ask = <Name extends keyof Platform>(
    name: Name,
    ...args: Parameters<Platform[Name]>
  ): Promise<Awaited<ReturnType<Platform[Name]>>> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      // The other thread calls the method of that name, so its answer is of that method's type.
      waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
      const question = { name, args } as Question
      send({ kind: 'ask', id, ...question })
    })

  return {
    platform: {
      depotVersion: (appId) => ask('depotVersion', appId),
      checkOwned: (appId) => ask('checkOwned', appId),
      // What was a Buffer arrives as plain bytes.
      depotKey: async (appId, depotId) => Buffer.from(await ask('depotKey', appId, depotId)),
      manifestRequestCode: (version) => ask('manifestRequestCode', version),
      contentServers: (appId) => ask('contentServers', appId),
      cdnToken: (appId, depotId, host) => ask('cdnToken', appId, depotId, host),
    },
    settle(message) {
      const found = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.kind === 'answer') found?.resolve(message.answer)
      else found?.reject(errorOf(message))
    },
  }
}

import type { LinkedStore } from '../../bridges/linked/linked-game.ts'

/** What an object keeps in its storage. */
export function memoryStore(): LinkedStore {
  const heard = new Map<string, number>()
  let stored: ReturnType<LinkedStore['stored']> = { at: 0, healthAt: 0 }
  return {
    stored: () => stored,
    keepStatus(status, at) {
      stored = { ...stored, status, at }
    },
    keepHealth(health, at) {
      stored = { ...stored, health, at, healthAt: at }
    },
    flush() {},
    heard: (run) => heard.get(run) ?? 0,
    keepHeard: (run, n) => void heard.set(run, n),
    keepChat() {},
  }
}

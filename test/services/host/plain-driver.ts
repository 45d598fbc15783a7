/** A host in memory: its game starts and stops at once, prints what a test sets, and echoes typed lines. */
import type { GameHost, GameProcess } from '../../../handlers/game-host.ts'
import type { LogLine } from '../../../handlers/host-record.ts'

export interface PlainDriver extends GameHost {
  /** The received calls, oldest first. */
  readonly asked: string[]
  print(text: string): void
  /** The process enters this state on its own. */
  become(state: GameProcess['state']): void
  /** The results of the next calls of this name, instead of their effects. */
  readonly instead: Partial<Record<'inspect' | 'start' | 'stop', () => Promise<never>>>
}

export function plainDriver(given: Partial<GameHost> = {}): PlainDriver {
  const asked: string[] = []
  const lines: LogLine[] = []
  const listeners = new Set<(line: LogLine) => void>()
  const instead: PlainDriver['instead'] = {}
  let state: GameProcess['state'] = 'running'
  let runs = 1
  const print = (text: string) => {
    lines.push({ text })
    for (const heard of listeners) heard({ text })
  }
  return {
    asked,
    instead,
    print,
    become(next) {
      if (next === 'running' && state !== 'running') runs += 1
      state = next
    },
    driver: 'docker',
    can: { console: true, log: true },
    inspect: async () => (await instead.inspect?.()) ?? { state, run: String(runs) },
    usage: async () => undefined,
    async start() {
      asked.push('start')
      await instead.start?.()
      if (state !== 'running') runs += 1
      state = 'running'
    },
    async stop(grace) {
      asked.push(`stop ${grace}`)
      await instead.stop?.()
      state = 'stopped'
    },
    log: async (count) => lines.slice(-count),
    follow(heard) {
      listeners.add(heard)
      return () => void listeners.delete(heard)
    },
    async type(line) {
      asked.push(`type ${line}`)
      print(`> ${line}`)
    },
    close() {},
    ...given,
  }
}

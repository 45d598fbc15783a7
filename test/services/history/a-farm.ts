/** A farm whose history is recorded, on clocks that the test moves. */
import type { GameHealth } from '../../../handlers/game-bridge.ts'
import type { GameEvent } from '../../../handlers/game-event.ts'
import { neverSeen, type Player, type Stats, type Status } from '../../../handlers/game-records.ts'
import { type HistoryRecorder, recordHistory } from '../../../services/history/recorder.ts'
import { memoryFarm } from '../../records/memory-records.ts'

export const abby: Player = {
  id: 6_208_260_877_024_290_921n,
  name: 'Abby',
  isOnline: true,
  connection: { joinPath: 'relay' },
}
export const sam: Player = { id: -7n, name: 'Sam', isOnline: true }

export const noon = Date.parse('2026-11-21T12:00:00.000Z')
const second = 1000
const healthy: GameHealth = { gameAvailable: true, isFrozen: false, tickCount: 1, pendingActions: 0 }
export const stats: Stats = {
  fps: 0,
  tps: 60,
  targetTps: 60,
  avgTickMs: 2,
  memoryMb: 400,
  gcGen0: 0,
  gcGen1: 0,
  gcGen2: 0,
  pendingActions: 0,
  gameThreadWaitMs: 0,
}

export async function recordedFarm() {
  /** Milliseconds of the wall clock and of the monotonic one. */
  const clock = { wall: noon, monotonic: 0 }
  const game = {
    players: [] as readonly Player[],
    status: { ...neverSeen, day: 1, season: 'spring', year: 1 } as Status,
    health: healthy,
    stats: (): Promise<Stats> => Promise.resolve(stats),
    /** How long `players` takes, milliseconds. */
    answerMs: 0,
  }
  const listeners = new Set<(event: GameEvent) => void>()
  const { records } = await memoryFarm('', () => clock.wall)
  const start = (): HistoryRecorder =>
    recordHistory({
      resources: async () => ({}),
      game: {
        health: () => game.health,
        status: async () => game.status,
        async players() {
          clock.monotonic += game.answerMs
          return { players: [...game.players], version: 1 }
        },
        stats: () => game.stats(),
        subscribe(listener) {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
      },
      calls: records.calls,
      later: records.later,
      now: () => clock.wall,
      monotonic: () => clock.monotonic,
    })
  let recorder: HistoryRecorder | undefined = start()
  const emit = (event: GameEvent) => {
    for (const listener of listeners) listener(event)
  }
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 1) {
      clock.wall += second
      clock.monotonic += second
      await recorder?.tick()
    }
  }
  await recorder.tick()
  return {
    clock,
    game,
    records: records.of('local'),
    emit,
    pass,
    joins(player: Player) {
      game.players = [...game.players, player]
      emit({ type: 'player_joined', player })
    },
    leaves(player: Player) {
      game.players = game.players.filter(({ id }) => id !== player.id)
      emit({ type: 'player_left', player: { ...player, isOnline: false } })
    },
    begins(day: Pick<Status, 'day' | 'season' | 'year'>) {
      game.status = { ...game.status, ...day }
      emit({ type: 'day_started', ...day })
    },
    /** The game stops answering. */
    offline() {
      game.health = { ...healthy, gameAvailable: false, awaySince: clock.wall }
    },
    back() {
      game.health = healthy
    },
    /** farmgate stops by SIGTERM. */
    stop() {
      recorder?.close()
      listeners.clear()
      recorder = undefined
    },
    async startAgain() {
      recorder = start()
      await recorder.tick()
    },
    sessions: async () => (await records.of('local').sessions({ limit: 100 })).sessions,
  }
}

/** ISO 8601 of so many seconds after `noon`. */
export const after = (seconds: number) => new Date(noon + seconds * second).toISOString()

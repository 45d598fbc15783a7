/** The game: the simulated farm, which may also lie about what it has done. It outlives the farm's process. */
import type { Random } from '../../bridges/simulated/random.ts'
import { simulatedFarm } from '../../bridges/simulated/simulated-farm.ts'
import { FarmError } from '../../handlers/farm-error.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { Model } from './model.ts'
import { Program, type VirtualTime } from './virtual-time.ts'

/**
 * `performed`: the next write is performed and its answer lost. `dropped`: it is not performed, and its answer is lost
 * all the same.
 */
export const lies = ['performed', 'dropped'] as const
export type Lie = (typeof lies)[number]

export const troubles = ['freeze', 'fallSilent', 'goOffline'] as const
export type Trouble = (typeof troubles)[number]

interface GameParts {
  readonly time: VirtualTime
  readonly random: Random
  readonly model: Model
  readonly onBroken: (error: unknown) => void
}

const lost = () => new FarmError({ kind: 'timeout', write: true })

export function openGame({ time, random, model, onBroken }: GameParts) {
  const program = new Program('game')
  const farm = program.run(() =>
    simulatedFarm({
      seed: String(random.whole(0, 2 ** 30)),
      speed: 1,
      clock: time.clock,
      version: 'test',
      story: 'steered',
      hasPassword: true,
    }),
  )
  const { controls } = farm
  /** A broken promise ends the simulation, not the call that broke it. */
  const noted = (check: () => void) => {
    try {
      check()
    } catch (error) {
      onBroken(error)
    }
  }
  let lie: Lie | undefined
  const player = program.run(() => controls.join({ name: 'Robin' }))
  program.run(() => controls.onRelayed(({ message }) => noted(() => model.said(message))))
  const told = async <Answer>(perform: () => Promise<Answer>): Promise<Answer> => {
    const how = lie
    lie = undefined
    if (how === 'dropped') throw lost()
    const answer = await perform()
    if (how === 'performed') throw lost()
    return answer
  }

  return {
    say: (message: string) => program.run(() => controls.say(player.id, message)),
    trouble: (kind: Trouble) => program.run(() => controls[kind]()),
    recover() {
      lie = undefined
      program.run(() => controls.comeBack())
    },
    lieNext(how: Lie) {
      lie = how
    },
    /** The game as a process reaches it, until that ends. */
    bridgeOf(process: Program): GameBridge {
      const ended = new Promise<never>(() => {})
      const call =
        <Args extends unknown[], Answer>(work: (...args: Args) => Promise<Answer>) =>
        (...args: Args): Promise<Answer> =>
          process.isAlive ? program.run(() => work(...args)) : ended
      const calls = Object.fromEntries(
        Object.entries(farm)
          .filter(([, member]) => typeof member === 'function')
          .map(([name, member]) => [name, call(member as never)]),
      ) as unknown as GameBridge
      return {
        ...calls,
        health: () => program.run(() => farm.health()),
        sendChat: call((line) => told(() => farm.sendChat(line))),
        setLoginTimeout: call((seconds) =>
          told(async () => {
            const before = await farm.setLoginTimeout(seconds)
            noted(() => model.performed(seconds))
            return before
          }),
        ),
        subscribe: (listener) =>
          farm.subscribe((event) => {
            if (!process.isAlive) return
            process.run(() => listener(event))
          }),
        close: async () => undefined,
      }
    },
  }
}

export type Game = ReturnType<typeof openGame>

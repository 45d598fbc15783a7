/** The writes of the game. Each is sent once and never repeated, whatever the answer. */
import * as v from 'valibot'
import { FarmError } from '../../handlers/farm-error.ts'
import type { AbilityName } from '../../handlers/game-abilities.ts'
import type { GameBridge, Target } from '../../handlers/game-bridge.ts'
import { stringifyJson } from '../../lib/json.ts'
import { outcome, readAnswer } from './answers.ts'
import { failureOf, failureOfMessage, refusesKey, type Subject } from './failures.ts'
import type { Call, GameHttp } from './game-http.ts'
import type { GameReads } from './game-reads.ts'
import type { KeptRead } from './kept-read.ts'
import type { Limits } from './limits.ts'
import type { Presence } from './presence.ts'

interface GameWritesOptions {
  readonly http: GameHttp
  readonly presence: Presence
  readonly limits: Limits
  readonly reads: GameReads
  /** Called after every write, because it may have changed the game. */
  changed(): void
}

type Droppable = Pick<KeptRead<unknown>, 'drop'>

interface Order<T> extends Pick<Call, 'method' | 'path'> {
  readonly ability: AbilityName
  /** Completes "This game server cannot …". */
  readonly what: string
  readonly target?: Subject['target']
  readonly body?: string
  readonly schema: v.GenericSchema<unknown, T>
  /** The cached reads to drop, because the write can change their answers. */
  readonly drops: readonly Droppable[]
}

const number = v.number()

export function gameWrites({ http, presence, limits, reads, changed }: GameWritesOptions) {
  const { farmhands, cabins, players, status, rendering, stats, passwordProtection } = reads
  const { health, settings, inviteCode, screenshot } = reads
  const ofTheWorld = [farmhands, cabins, players, status, rendering, stats, passwordProtection]
  const everything: readonly Droppable[] = [...ofTheWorld, health, settings, inviteCode, screenshot]

  async function order<T>({ ability, what, target, schema, drops, ...call }: Order<T>) {
    const budget = limits.budgetOf(ability)
    const subject: Subject = { what, isWrite: true, ...(target !== undefined && { target }) }
    try {
      const answer = await http.call({ ...call, budget, maxBytes: limits.answerBytes })
      if (refusesKey(answer.status)) presence.keyRejected()
      const failure = failureOf(answer, subject)
      if (failure !== undefined) throw new FarmError(failure)
      const said = readAnswer(outcome, answer.text, true)
      if (said.success === false) throw new FarmError(failureOfMessage(said.error, subject))
      return readAnswer(schema, answer.text, true)
    } finally {
      // Also after a failure, because the change may have been made.
      for (const read of drops) read.drop()
      changed()
    }
  }

  const farmhandOf = ({ label }: Target) => ({ kind: 'farmhand', label }) as const
  return {
    async deleteFarmhand(farmhand) {
      await order({
        ability: 'deleteFarmhand',
        method: 'DELETE',
        path: `/farmhands?playerId=${farmhand.id}`,
        what: 'delete farmhands',
        target: farmhandOf(farmhand),
        schema: outcome,
        drops: [farmhands, cabins, players, status],
      })
    },
    async setRendering(fps) {
      const { previousFps } = await order({
        ability: 'setRendering',
        method: 'POST',
        path: `/rendering?fps=${fps}`,
        what: 'change its rendering rate',
        schema: v.object({ previousFps: number }),
        drops: [rendering, stats, screenshot],
      })
      return previousFps
    },
    async setTime(timeOfDay) {
      await order({
        ability: 'setTime',
        method: 'POST',
        path: `/time?value=${timeOfDay}`,
        what: 'set the time',
        schema: outcome,
        drops: [status],
      })
    },
    async grantAdmin(player) {
      const { playerName } = await order({
        ability: 'grantAdmin',
        method: 'POST',
        path: `/roles/admin?playerId=${player.id}`,
        what: 'grant roles',
        target: { kind: 'player', label: player.label },
        schema: v.object({ playerName: v.string() }),
        drops: [],
      })
      return playerName
    },
    async setClockSpeed(multiplier) {
      const { effectiveMs } = await order({
        ability: 'setClockSpeed',
        method: 'POST',
        path: `/clock-speed?multiplier=${multiplier}`,
        what: 'change the speed of its clock',
        schema: v.object({ effectiveMs: number }),
        drops: [status],
      })
      return effectiveMs
    },
    async setLoginTimeout(seconds) {
      const { previousTimeoutSeconds } = await order({
        ability: 'setLoginTimeout',
        method: 'POST',
        path: `/auth/timeout?value=${seconds}`,
        what: 'change the login timeout',
        schema: v.object({ previousTimeoutSeconds: number }),
        drops: [passwordProtection],
      })
      return previousTimeoutSeconds
    },
    async newGame(options) {
      const { message } = await order({
        ability: 'newGame',
        method: 'POST',
        path: '/newgame',
        what: 'create a new game',
        body: stringifyJson(options),
        schema: v.object({ message: v.optional(v.string(), 'New game created') }),
        drops: everything,
      })
      return message
    },
    async reload() {
      const { message } = await order({
        ability: 'reload',
        method: 'POST',
        path: '/reload',
        what: 'reload its world',
        schema: v.object({ message: v.optional(v.string(), 'World reloaded') }),
        drops: everything,
      })
      return message
    },
  } satisfies Partial<GameBridge>
}

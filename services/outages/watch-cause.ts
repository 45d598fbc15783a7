/** Finds the cause of an outage, from what the bridge, the game's host, the ticket service and the records know. */
import { type CauseCode, causeSentence, type KnownCause } from '../../handlers/cause.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameHostRecord } from '../../handlers/game-host-record.ts'
import { presentMoment } from '../../handlers/game-moment.ts'
import type { Records } from '../../handlers/records.ts'
import type { TicketService } from '../../handlers/ticket-service.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'

export interface CauseParts {
  readonly game: Pick<GameBridge, 'health' | 'status'>
  /** The state of the game's process; undefined where farmgate does not know what runs it. */
  readonly process: () => Promise<GameHostRecord['state'] | undefined>
  readonly ticketService: TicketService
  readonly records: Pick<Records, 'state'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Pick<Log, 'warn' | 'info'>
}

export type CauseWatch = ReturnType<typeof watchCause>

/** Milliseconds between two looks at the process, while the game is offline, and at the ticket service. */
const lookEvery = { process: 2_000, ticketService: 10_000 }
/** Milliseconds after which a cause is logged. */
const lasting = 10_000

export function watchCause({ game, process, ticketService, records, clock, log }: CauseParts) {
  /** Of the process of a game that is offline. */
  let gone: 'process_crashed' | 'process_stopped' | undefined
  let canSignIn = true
  /** Of a game that answers. */
  let standing: KnownCause | undefined
  let logged: KnownCause | undefined
  let isLooking = false
  const due = { process: Number.NEGATIVE_INFINITY, ticketService: Number.NEGATIVE_INFINITY }

  const isDue = (what: keyof typeof due): boolean => {
    const at = clock.monotonic()
    if (at < due[what]) return false
    due[what] = at + lookEvery[what]
    return true
  }

  async function look(): Promise<void> {
    const isOffline = game.health().awaySince !== undefined
    if (!isOffline) {
      gone = undefined
      due.process = Number.NEGATIVE_INFINITY
    } else if (isDue('process')) {
      const state = await process().catch(() => undefined)
      gone = state === 'crashed' || state === 'stopped' ? `process_${state}` : undefined
    }
    if (isDue('ticketService')) {
      const signIn = await ticketService.signIn()
      canSignIn =
        signIn === undefined || (signIn !== 'unreachable' && signIn.isSignedIn && signIn.daysLeft !== 0)
    }
    const { moment } = await presentMoment(game)
    const code = codeOf(moment, canSignIn, records.state())
    if (code !== standing?.code) standing = code && { code, since: clock.now() }
  }

  const cause = (): KnownCause | undefined => {
    const { awaySince: since, cause: known, isFrozen, gameAvailable, isWithoutFarm } = game.health()
    if (since !== undefined) return { code: gone ?? known?.code ?? 'no_answer', since }
    if (known !== undefined) return known
    const isOver =
      (standing?.code === 'frozen' && !isFrozen) ||
      (standing?.code === 'no_farm' && gameAvailable && isWithoutFarm !== true)
    return isOver ? undefined : standing
  }

  function report(): void {
    const now = cause()
    if (logged !== undefined && now?.code !== logged.code) {
      log.info(
        { cause: logged.code, seconds: Math.round((clock.now() - logged.since) / 1000) },
        'the problem has ended',
      )
      logged = undefined
    }
    if (now === undefined || logged !== undefined || clock.now() - now.since < lasting) return
    logged = now
    const { message, next } = causeSentence(now.code)
    log.warn({ cause: now.code }, `a problem: ${message} ${next}`)
  }

  return {
    cause,
    /** Call it every second. Never rejects. */
    async tick() {
      if (isLooking) return
      isLooking = true
      try {
        await look()
        report()
      } finally {
        isLooking = false
      }
    },
  }
}

function codeOf(
  moment: Awaited<ReturnType<typeof presentMoment>>['moment'],
  canSignIn: boolean,
  records: ReturnType<Records['state']>,
): CauseCode | undefined {
  if (moment === 'frozen') return 'frozen'
  // It is offline or refuses the key otherwise, which its bridge says.
  if (moment === 'no_farm' || moment === 'starting') return 'no_farm'
  if (records === 'failed') return 'disk'
  return canSignIn ? undefined : 'ticket_service'
}

/** A game whose health has the cause. */
export const withCause = <Game extends GameBridge>(game: Game, watch: Pick<CauseWatch, 'cause'>): Game => ({
  ...game,
  health() {
    const cause = watch.cause()
    return { ...game.health(), ...(cause !== undefined && { cause }) }
  },
})

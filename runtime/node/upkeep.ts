/** What the operator of a fleet sees of this farm, in addition to its game (`FarmUpkeep`). */
import type { FarmUpkeep } from '../../bridges/linked/protocol.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { version } from '../../lib/version.ts'
import type { OpenBackups } from '../../services/backups/open-backups.ts'
import type { TicketServiceWatch } from './ticket-service.ts'

const day = 86_400_000
/** Milliseconds between two looks. */
const lookEvery = 30_000
/** Milliseconds; as in the alerts (deploy/prometheus/alerts.yml). */
const longNight = 5 * 60_000
/**
 * Changes of a time that the edge gets only with another change, in milliseconds: each frame wakes the farm's object.
 */
const unsent = { lastAt: day / 24, endsAt: day } as const

interface UpkeepParts {
  readonly game: Pick<GameBridge, 'status' | 'health'>
  readonly backups: Pick<OpenBackups, 'port' | 'isFailing'>
  /** Undefined without a ticket service. */
  readonly ticketService: Pick<TicketServiceWatch, 'state'> | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds, never running backwards. */
  readonly monotonic: () => number
}

export interface Upkeep {
  /** As of the last look. */
  current(): FarmUpkeep
  /** Looks, unless it has a moment ago. Call it every second. */
  tick(): Promise<void>
}

export function watchUpkeep({ game, backups, ticketService, now, monotonic }: UpkeepParts): Upkeep {
  let upkeep: FarmUpkeep = { version }
  let nextAt = Number.NEGATIVE_INFINITY
  let nightSince: number | undefined

  async function isNightStuck(): Promise<boolean> {
    const { gameAvailable, isFrozen, isWithoutFarm } = game.health()
    const isNight =
      gameAvailable && !isFrozen && !isWithoutFarm && !(await game.status()).dayTransitionComplete
    nightSince = isNight ? (nightSince ?? monotonic()) : undefined
    return nightSince !== undefined && monotonic() - nightSince >= longNight
  }

  async function backupsNow(): Promise<FarmUpkeep['backups']> {
    const { saves, lastVerifiedAt } = (await backups.port.backups()).state
    if (saves === 'absent') return undefined
    const lastAt = lastVerifiedAt === undefined ? undefined : Date.parse(lastVerifiedAt)
    return {
      ...(lastAt !== undefined && { lastAt: steady(upkeep.backups?.lastAt, lastAt, unsent.lastAt) }),
      ...(backups.isFailing() && { failing: true }),
    }
  }

  async function steamNow(): Promise<FarmUpkeep['steam']> {
    const state = await ticketService?.state()
    if (state === undefined) return undefined
    const { logged_in: isSignedIn, token_days_remaining: days } = state
    const endsAt = typeof days === 'number' && days >= 0 ? Math.round(now() + days * day) : undefined
    return {
      ...(!isSignedIn && { signedOut: true }),
      ...(endsAt !== undefined && { endsAt: steady(upkeep.steam?.endsAt, endsAt, unsent.endsAt) }),
    }
  }

  return {
    current: () => upkeep,
    async tick() {
      if (monotonic() < nextAt) return
      nextAt = monotonic() + lookEvery
      // What cannot be read stays as it was.
      const [nightStuck, backup, steam] = await Promise.all([
        isNightStuck().catch(() => upkeep.nightStuck === true),
        backupsNow().catch(() => upkeep.backups),
        steamNow(),
      ])
      upkeep = {
        version,
        ...(nightStuck && { nightStuck }),
        ...(backup !== undefined && { backups: backup }),
        ...(steam !== undefined && { steam }),
      }
    },
  }
}

/** The time that was sent, unless the present one differs by more than `step`. */
const steady = (sent: number | undefined, present: number, step: number): number =>
  sent !== undefined && Math.abs(present - sent) <= step ? sent : present

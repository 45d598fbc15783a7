/** What the operator of a fleet sees of this farm, in addition to its game (`FarmUpkeep`). */
import type { FarmUpkeep } from '../../handlers/farm-upkeep.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import { presentMoment } from '../../handlers/game-moment.ts'
import type { Clock } from '../../lib/clock.ts'
import { version } from '../../lib/version.ts'
import type { OpenBackups } from '../backups/open-backups.ts'
import type { RightFarm } from '../saves/watch-right-farm.ts'
import type { TicketServiceWatch } from '../ticket-service/watch.ts'

const day = 86_400_000
/** Milliseconds between two looks. */
const lookEvery = 30_000
/** Milliseconds; as in the alerts (deploy/prometheus/alerts.yml). */
const longNight = 5 * 60_000
/** A later backup is sent with another change, or after this many milliseconds: each frame wakes the farm's object. */
const unsent = day / 24
/** Milliseconds by which the clocks of the farm and the edge may differ without a wrong number of days. */
const clockError = 10 * 60_000

interface UpkeepParts extends Pick<Clock, 'now' | 'monotonic'> {
  readonly game: Pick<GameBridge, 'status' | 'health'>
  readonly backups: Pick<OpenBackups, 'port' | 'isFailing'>
  readonly rightFarm: Pick<RightFarm, 'isWrong'>
  /** Whether SAVES_DIR is set. */
  readonly hasSaves: boolean
  /** Undefined without a ticket service. */
  readonly ticketService: Pick<TicketServiceWatch, 'state'> | undefined
}

export function watchUpkeep(parts: UpkeepParts) {
  const { game, backups, rightFarm, hasSaves, ticketService, now, monotonic } = parts
  let upkeep: FarmUpkeep = { version }
  let nextAt = Number.NEGATIVE_INFINITY
  let nightSince: number | undefined

  async function isNightStuck(): Promise<boolean> {
    const isNight = (await presentMoment(game)).moment === 'night'
    nightSince = isNight ? (nightSince ?? monotonic()) : undefined
    return nightSince !== undefined && monotonic() - nightSince >= longNight
  }

  async function backupsNow(): Promise<FarmUpkeep['backups']> {
    if (!hasSaves) return undefined
    const { saves, lastVerifiedAt } = (await backups.port.backups()).state
    const lastAt = lastVerifiedAt === undefined ? undefined : Date.parse(lastVerifiedAt)
    return {
      ...(lastAt !== undefined && { lastAt: laterBy(unsent, upkeep.backups?.lastAt, lastAt) }),
      // A folder that was set and cannot be read, such as one whose mount is lost, gets no backups.
      ...((backups.isFailing() || saves === 'absent') && { failing: true }),
    }
  }

  async function steamNow(): Promise<FarmUpkeep['steam']> {
    const state = await ticketService?.state()
    if (state === undefined) return undefined
    const { logged_in: isSignedIn, token_days_remaining: days } = state
    return {
      ...(!isSignedIn && { signedOut: true }),
      // Negative for a sign-in that has ended.
      ...(typeof days === 'number' && {
        endsAt: endOf(Math.max(0, Math.floor(days)), upkeep.steam?.endsAt, now()),
      }),
    }
  }

  return {
    /** As of the last look. */
    current: (): FarmUpkeep => upkeep,
    /** Looks, unless it has a moment ago. Call it every second. */
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
        ...(rightFarm.isWrong() && { wrongFarm: true as const }),
        ...(backup !== undefined && { backups: backup }),
        ...(steam !== undefined && { steam }),
      }
    },
  }
}

/** The time that was sent, unless the present one differs by more than `step`. */
const laterBy = (step: number, sent: number | undefined, present: number): number =>
  sent !== undefined && Math.abs(present - sent) <= step ? sent : present

/**
 * When the sign-in ends, as the edge counts the days to it.
 * @param days whole days that are left, by the ticket service
 * @returns what was sent while it gives that number, within the error of the clocks
 */
function endOf(days: number, sent: number | undefined, now: number): number {
  const wholeDays = (until: number) => Math.floor((until - now) / day)
  const isRight =
    sent !== undefined && wholeDays(sent - clockError) <= days && wholeDays(sent + clockError) >= days
  return isRight ? sent : now + (days + 1) * day - clockError
}

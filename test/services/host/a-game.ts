/** A game as the host sees it: a test sets its answers. */
import { neverSeen, type Status } from '../../../handlers/game-records.ts'
import type { HostParts } from '../../../services/host/open-host.ts'

export interface AGame {
  readonly game: HostParts['game']
  readonly said: string[]
  answers: boolean
  isSaving: boolean
  /** Its status has not changed since the evening, like that of JunimoServer in a night. */
  isStale: boolean
  players: number
}

export function aGame(): AGame {
  const said: string[] = []
  let answered = 0
  const all: AGame = {
    said,
    answers: true,
    isSaving: false,
    isStale: false,
    players: 0,
    game: {
      health: () => ({
        gameAvailable: all.answers,
        isFrozen: false,
        tickCount: 0,
        pendingActions: 0,
        ...(all.isStale && { isStale: true as const }),
      }),
      async status(): Promise<Status> {
        if (all.answers) answered += 1
        return {
          ...neverSeen,
          isOnline: all.answers,
          dayTransitionComplete: all.answers && !all.isSaving,
          playerCount: all.answers ? all.players : 0,
          lastUpdated: new Date(answered).toISOString(),
        }
      },
      async announce(message) {
        said.push(message)
      },
      async sendChat() {},
    },
  }
  return all
}

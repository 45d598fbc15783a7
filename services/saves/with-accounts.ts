/** A game that shows the accounts of its farmhands, and reports joiners who are not on the operator's list. */
import { type AllowedAccount, accountKey } from '../../handlers/allowlist.ts'
import type { GameBridge } from '../../handlers/game-bridge.ts'
import type { GameEvent } from '../../handlers/game-event.ts'
import type { Farmhands, GameAccount, Player } from '../../handlers/game-records.ts'
import type { Owners } from './owners.ts'

export interface AccountParts {
  /** The owners of farmhands. @param isNow not from a moment ago */
  readonly owners: (isNow?: boolean) => Promise<Owners>
  readonly allowlist: () => Promise<readonly AllowedAccount[]>
}

const platforms = { relay: 'steam', galaxy: 'galaxy' } as const

/** The account by which a player is connected, where the game reports it. */
function connectedAs({ connection }: Player): GameAccount | undefined {
  const { joinPath, identity } = connection ?? {}
  const platform = joinPath === 'relay' || joinPath === 'galaxy' ? platforms[joinPath] : undefined
  return platform === undefined || identity === undefined ? undefined : { platform, id: identity }
}

export function withAccounts<Game extends GameBridge>(game: Game, { owners, allowlist }: AccountParts): Game {
  let last: { readonly of: Farmhands; readonly by: Owners; readonly shown: Farmhands } | undefined
  const isUnlisted = async (player: Player): Promise<boolean> => {
    const listed = await allowlist()
    if (listed.length === 0) return false
    const accounts = [connectedAs(player), (await owners(true)).get(player.id)]
    const known = new Set(accounts.filter((one) => one !== undefined).map(accountKey))
    return !listed.some((one) => known.has(accountKey(one)))
  }
  const listeners = new Set<(event: GameEvent) => void>()
  game.subscribe((event) => {
    if (event.type !== 'player_joined') return
    const { player } = event
    isUnlisted(player).then(
      (unlisted) => {
        if (unlisted) for (const listener of listeners) listener({ type: 'player.unlisted', player })
      },
      // The records do not answer, which they log themselves.
      () => undefined,
    )
  })
  return {
    ...game,
    subscribe(listener) {
      listeners.add(listener)
      const unsubscribe = game.subscribe(listener)
      return () => {
        listeners.delete(listener)
        unsubscribe()
      }
    },
    async farmhands() {
      const [of, by] = await Promise.all([game.farmhands(), owners()])
      if (by.size === 0) return of
      if (last?.of !== of || last.by !== by) {
        const farmhands = of.farmhands.map((farmhand) => {
          const account = by.get(farmhand.id)
          return account === undefined ? farmhand : { ...farmhand, account }
        })
        last = { of, by, shown: { ...of, farmhands } }
      }
      return last.shown
    },
  }
}

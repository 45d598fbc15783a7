import type { GameBridge } from '../../handlers/game-bridge.ts'

/** @returns what the farm of a game is called, once and as the game has told it; undefined until then */
export function farmName(game: GameBridge): () => string | undefined {
  let name: string | undefined
  const heard = (told: string) => {
    if (told !== '') name = told
  }
  game.subscribe((event) => {
    if (event.type === 'status_changed') heard(event.status.farmName)
  })
  void game.status().then(({ farmName }) => heard(farmName))
  return () => name
}

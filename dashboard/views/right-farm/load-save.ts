/** Has the game load a save: at its console, else by its pointer, which the game reads when it starts. */
import type { HostOperation } from '../../../client/index.ts'
import type { SignedIn } from '../../session/session.ts'

/** @returns the operation that loads it; `next` where only the operator can restart the game */
export async function loadSave(
  { farm, hasHost }: SignedIn,
  choice: { readonly name: string; readonly hostTo?: string | undefined },
): Promise<HostOperation | 'loaded' | 'next'> {
  const isTyped = hasHost && (await farm.host()).can.console
  const { operation } = await farm.chooseSave(choice)
  if (operation !== undefined) return operation
  if (isTyped) return 'loaded'
  return hasHost ? (await farm.restartGame({})).operation : 'next'
}

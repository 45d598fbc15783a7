/** Has the game load a save: at its console, else by an operation that sets its pointer, else by the next start. */
import type { HostOperation } from '../../../client/index.ts'
import type { SignedIn } from '../../session/session.ts'

/** @returns the operation that loads it; `next` where only the operator can restart the game */
export async function loadSave(
  { farm, hasHost }: SignedIn,
  choice: { readonly name: string; readonly hostTo?: string | undefined },
): Promise<HostOperation | 'loaded' | 'next'> {
  const { operation } = await farm.chooseSave(choice)
  return operation ?? (hasHost ? 'loaded' : 'next')
}

/** Has the game load a save: at its console, else by an operation that sets its pointer, else by the next start. */
import type { HostOperation } from '../../../client/index.ts'
import type { SignedIn } from '../../session/session.ts'
import { FollowOperation } from '../server/follow-operation.tsx'
import { rightFarmTexts } from './texts.ts'

/** How it begins; `next` where only the operator can restart the game. */
export type BegunLoad = HostOperation | 'loaded' | 'next'

export async function loadSave(
  { farm, hasHost }: SignedIn,
  choice: { readonly name: string; readonly hostTo?: string | undefined },
): Promise<BegunLoad> {
  const { operation } = await farm.chooseSave(choice)
  return operation ?? (hasHost ? 'loaded' : 'next')
}

interface FollowLoadProps {
  readonly farm: SignedIn['farm']
  readonly begun: BegunLoad
  /** What is said of a save that is loaded. */
  readonly done: string
  readonly onEnd: () => Promise<void>
}

export const FollowLoad = ({ farm, begun, done, onEnd }: FollowLoadProps) =>
  typeof begun === 'string' ? (
    <p role="status">{begun === 'loaded' ? done : rightFarmTexts.value.noHost}</p>
  ) : (
    <FollowOperation farm={farm} begun={begun} done={done} onEnd={onEnd} />
  )

import type { Farmhand } from '../../../client/index.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import type { SignedIn } from '../../session/session.ts'
import { peopleTexts } from './texts.ts'

export interface FarmhandProps {
  readonly session: SignedIn
  readonly farmhand: Farmhand
}

export function MakeAdmin({ session, farmhand }: FarmhandProps) {
  const text = peopleTexts.value
  return (
    <ConfirmButton
      label={text.makeAdmin}
      kind="main"
      needs="game"
      ask={() => session.farm.grantAdmin({ playerId: farmhand.id })}
      done={<p>{text.isAdmin(farmhand.name)}</p>}
    >
      <p>{text.makeAdminHint(farmhand.name)}</p>
    </ConfirmButton>
  )
}

import { useSignal } from '@preact/signals'
import type { Farmhand } from '../../../client/index.ts'
import { useAsked } from '../../parts/asked.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Trouble } from '../../parts/trouble.tsx'
import type { SignedIn } from '../../session.ts'
import { peopleWords } from './words.ts'

export interface FarmhandProps {
  readonly session: SignedIn
  readonly farmhand: Farmhand
}

export function MakeAdmin({ session, farmhand }: FarmhandProps) {
  const text = peopleWords.value
  const asked = useAsked()
  const isOpen = useSignal(false)
  const isDone = useSignal(false)
  const grant = async () => {
    isDone.value = await asked.run(async () => {
      await session.farm.grantAdmin({ playerId: farmhand.id })
    })
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        {text.makeAdmin}
      </button>
      {isOpen.value && (
        <Dialog
          title={text.makeAdmin}
          onClose={() => {
            isOpen.value = false
          }}
        >
          <div class="form">
            <p>{isDone.value ? text.isAdmin(farmhand.name) : text.makeAdminHint(farmhand.name)}</p>
            {asked.error.value !== undefined && <Trouble error={asked.error.value} />}
            {!isDone.value && (
              <button
                type="button"
                class="main"
                aria-disabled={asked.isBusy.value}
                onClick={() => void grant()}
              >
                {text.makeAdmin}
              </button>
            )}
          </div>
        </Dialog>
      )}
    </>
  )
}

/** Has the game load another save, and asks who plays the farmer of its host where a person has hosted it. */
import { useSignal } from '@preact/signals'
import type { Save } from '../../../client/index.ts'
import { dateOf } from '../../parts/calendar-days.ts'
import { ConfirmButton } from '../../parts/form.tsx'
import type { SignedIn } from '../../session/session.ts'
import { type BegunLoad, FollowLoad, loadSave } from '../right-farm/load-save.tsx'
import { hostToOf, useHostTo, WhoPlayed } from '../right-farm/who-played.tsx'
import { backupTexts } from './texts.ts'

interface LoadSaveProps {
  readonly session: SignedIn
  readonly save: Save
  /** The save that the game plays. */
  readonly active: Save | undefined
  readonly onDone: () => Promise<void>
}

export function LoadSave({ session, save, active, onDone }: LoadSaveProps) {
  const { farm, live } = session
  const text = backupTexts.value
  const hostTo = useHostTo()
  const begun = useSignal<BegunLoad>('loaded')
  const isLoaded = text.chosen(save.farmName, dateOf(save))
  return (
    <div class="buttons">
      <ConfirmButton
        label={text.choose}
        title={text.chooseTitle}
        confirm={text.chooseDo}
        ask={async () => {
          begun.value = await loadSave(session, { name: save.name, hostTo: hostToOf(hostTo) })
        }}
        onDone={onDone}
        done={<FollowLoad farm={farm} begun={begun.value} done={isLoaded} onEnd={onDone} />}
      >
        <p>{text.chooseWhat(save.farmName, dateOf(save))}</p>
        {active !== undefined && <p>{text.chooseLost(active.farmName)}</p>}
        {(live.players.value?.players.length ?? 0) > 0 && <p>{text.playersOn}</p>}
        <WhoPlayed farm={farm} save={save} of={hostTo} />
      </ConfirmButton>
    </div>
  )
}

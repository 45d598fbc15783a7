/** Has the game load another save, and asks who plays the farmer of its host where a person has hosted it. */
import { type Signal, useSignal } from '@preact/signals'
import type { Save } from '../../../client/index.ts'
import { dateOf } from '../../parts/calendar-days.ts'
import { Choice, ConfirmButton, Field } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { type BegunLoad, FollowLoad, loadSave } from '../right-farm/load-save.tsx'
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
  const chosen = useSignal<string>('')
  const other = useSignal('')
  const begun = useSignal<BegunLoad>('loaded')
  const { name, host } = save
  const isLoaded = text.chosen(save.farmName, dateOf(save))
  return (
    <div class="buttons">
      <ConfirmButton
        label={text.choose}
        title={text.chooseTitle}
        confirm={text.chooseDo}
        ask={async () => {
          const hostTo = chosen.value === 'other' ? other.value.trim() : chosen.value
          begun.value = await loadSave(session, { name, hostTo: hostTo || undefined })
        }}
        onDone={onDone}
        done={<FollowLoad farm={farm} begun={begun.value} done={isLoaded} onEnd={onDone} />}
      >
        <p>{text.chooseWhat(save.farmName, dateOf(save))}</p>
        {active !== undefined && <p>{text.chooseLost(active.farmName)}</p>}
        {(live.players.value?.players.length ?? 0) > 0 && <p>{text.playersOn}</p>}
        {!host.isServer && <WhoPlayed farm={farm} host={host.name} chosen={chosen} other={other} />}
      </ConfirmButton>
    </div>
  )
}

interface WhoPlayedProps {
  readonly farm: SignedIn['farm']
  readonly host: string
  /** An account of the farm, `other` or `server`; empty before a choice. */
  readonly chosen: Signal<string>
  /** The id of another account. */
  readonly other: Signal<string>
}

function WhoPlayed({ farm, host, chosen, other }: WhoPlayedProps) {
  const text = backupTexts.value
  const { farmhands = [] } = useLoaded((signal) => farm.farmhands({}, { signal })).value.value ?? {}
  const accounts = new Map(
    farmhands.flatMap(({ name, account }) =>
      account === undefined ? [] : [[account.id, `${name} (${account.id})`] as const],
    ),
  )
  const others: Readonly<Record<string, string>> = {
    '': text.chooseAccount,
    other: text.otherAccount,
    server: text.toServer(host),
  }
  return (
    <>
      <Choice
        label={text.whoPlayed(host)}
        among={['', ...accounts.keys(), 'other', 'server']}
        of={chosen}
        texts={(one) => accounts.get(one) ?? others[one] ?? one}
      />
      {chosen.value === 'other' && <Field label={text.accountId} inputMode="numeric" of={other} />}
      <p class="quiet">{chosen.value === 'server' ? text.serverTakes(host) : text.findId}</p>
    </>
  )
}

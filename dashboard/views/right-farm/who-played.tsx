/** Asks who plays the farmer of a save's host, where a person has hosted it. */
import { type Signal, useSignal } from '@preact/signals'
import type { Save } from '../../../client/index.ts'
import { Choice, Field } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { rightFarmTexts } from './texts.ts'

interface HostTo {
  /** An account of the farm, `other` or `server`; empty before a choice. */
  readonly chosen: Signal<string>
  /** The id of another account. */
  readonly other: Signal<string>
}

export const useHostTo = (): HostTo => ({ chosen: useSignal(''), other: useSignal('') })

/** The parameter of the request; undefined before a choice. */
export const hostToOf = ({ chosen, other }: HostTo): string | undefined =>
  (chosen.value === 'other' ? other.value.trim() : chosen.value) || undefined

interface WhoPlayedProps {
  readonly farm: SignedIn['farm']
  readonly save: Save
  readonly of: HostTo
}

/** Nothing where the server itself is the host. */
export const WhoPlayed = ({ save: { host }, ...more }: WhoPlayedProps) =>
  host.isServer ? null : <Ask host={host.name} {...more} />

function Ask({
  farm,
  host,
  of: { chosen, other },
}: Omit<WhoPlayedProps, 'save'> & { readonly host: string }) {
  const text = rightFarmTexts.value
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

/** Who plays here: everyone with a farmhand and everyone who has played, one row each. */
import './people.css'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Farmhand, HistoryPlayers } from '../../../client/index.ts'
import { Trouble } from '../../parts/asked.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { number, texts } from '../../texts/texts.ts'
import { Allowlist } from './allowlist.tsx'
import { OnePerson, type Person } from './one-person.tsx'
import { peopleTexts } from './texts.ts'

/** Milliseconds. */
const lookEvery = 60_000

export function PeopleView({ session }: { readonly session: SignedIn }) {
  const text = peopleTexts.value
  const { farm, live } = session
  const farmhands = useLoaded(async (signal) => (await farm.farmhands({}, { signal })).farmhands, lookEvery)
  const people = useLoaded(async (signal) => (await farm.historyPlayers({}, { signal })).players, lookEvery)
  const mayRebind = useSignal(true)
  const players = live.players.value?.players ?? []
  const online = new Set(players.map(({ id }) => id))
  const here = players.map(({ id }) => id).join()
  const isFirst = useRef(true)
  // Joins and leaves can change both lists.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false
    else {
      void farmhands.again()
      void people.again()
    }
  }, [here])
  const all = farmhands.value.value ?? []
  const isBusy = farmhands.isBusy.value || people.isBusy.value
  const free = all.filter(({ isCustomized }) => !isCustomized).length
  const persons = personsOf(all, people.value.value ?? [], online)
  return (
    <div class="view" aria-busy={isBusy}>
      <header class="view-header">
        <h1>{texts.value.views.people}</h1>
        <p class="quiet">{farmhands.value.value !== undefined && text.free(free, number(free))}</p>
      </header>
      <Trouble error={farmhands.error.value} again={() => void farmhands.again()} />
      <Trouble error={people.error.value} again={() => void people.again()} />
      {!isBusy && (
        <section class="card">
          {persons.length === 0 && <p class="quiet">{text.nobodyYet}</p>}
          <ul>
            {persons.map((person) => (
              <OnePerson
                key={String(person.id)}
                session={session}
                person={person}
                mayRebind={mayRebind.value}
                onCannotRebind={() => {
                  mayRebind.value = false
                }}
                onChange={farmhands.again}
              />
            ))}
          </ul>
        </section>
      )}
      {!isBusy && allows(session, 'admin') && <Allowlist session={session} farmhands={all} />}
    </div>
  )
}

/** Online players first, then by the time of their last visit. */
function personsOf(
  farmhands: readonly Farmhand[],
  people: HistoryPlayers['players'],
  online: ReadonlySet<bigint>,
): readonly Person[] {
  const played = new Map(people.map((person) => [person.playerId, person]))
  const claimed = new Map(
    farmhands.filter(({ isCustomized }) => isCustomized).map((farmhand) => [farmhand.id, farmhand]),
  )
  return [...new Set([...claimed.keys(), ...played.keys()])]
    .map((id) => ({
      id,
      name: claimed.get(id)?.name ?? played.get(id)?.name ?? '',
      isOnline: online.has(id),
      farmhand: claimed.get(id),
      played: played.get(id),
    }))
    .toSorted(
      (one, other) =>
        Number(other.isOnline) - Number(one.isOnline) ||
        (other.played?.lastSeen ?? '').localeCompare(one.played?.lastSeen ?? ''),
    )
}

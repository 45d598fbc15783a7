/** Who plays here: the farmhands, and everybody who has played, when and how long. */
import './people.css'
import { useEffect, useRef } from 'preact/hooks'
import { useLoaded } from '../../parts/loaded.ts'
import { Trouble } from '../../parts/trouble.tsx'
import type { SignedIn } from '../../session/session.ts'
import { words } from '../../words/words.ts'
import { Everybody } from './everybody.tsx'
import { Farmhands } from './farmhands.tsx'

/** Milliseconds. */
const lookEvery = 60_000

export function PeopleView({ session }: { readonly session: SignedIn }) {
  const { farm, live } = session
  const farmhands = useLoaded(async (signal) => (await farm.farmhands({}, { signal })).farmhands, lookEvery)
  const people = useLoaded(async (signal) => (await farm.historyPlayers({}, { signal })).players, lookEvery)
  const players = live.players.value?.players ?? []
  const online = new Set(players.map(({ id }) => id))
  const here = players.map(({ id }) => id).join()
  const isFirst = useRef(true)
  // Whoever comes or goes can change both lists.
  useEffect(() => {
    if (isFirst.current) isFirst.current = false
    else {
      void farmhands.again()
      void people.again()
    }
  }, [here])
  return (
    <div class="view" aria-busy={farmhands.isBusy.value || people.isBusy.value}>
      <h1>{words.value.views.people}</h1>
      <Trouble error={farmhands.error.value} again={() => void farmhands.again()} />
      {farmhands.value.value !== undefined && (
        <Farmhands
          session={session}
          farmhands={farmhands.value.value}
          online={online}
          onChange={farmhands.again}
        />
      )}
      <Trouble error={people.error.value} again={() => void people.again()} />
      {people.value.value !== undefined && (
        <Everybody session={session} people={people.value.value} online={online} />
      )}
    </div>
  )
}

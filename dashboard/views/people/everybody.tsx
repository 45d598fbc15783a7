/** Everybody who has played: how long, and when, as soon as a person is opened. */

import { useSignal } from '@preact/signals'
import type { HistoryPlayers } from '../../../client/index.ts'
import { Fold } from '../../parts/fold.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { PlayerName } from '../../parts/player-name.tsx'
import { Trouble } from '../../parts/trouble.tsx'
import type { SignedIn } from '../../session/session.ts'
import { dateTime, dateTimes, duration, number } from '../../words/words.ts'
import { peopleWords } from './words.ts'

type Person = HistoryPlayers['players'][number]

export interface EverybodyProps {
  readonly session: SignedIn
  readonly people: readonly Person[]
  readonly online: ReadonlySet<bigint>
}

export function Everybody({ session, people, online }: EverybodyProps) {
  const text = peopleWords.value
  return (
    <section class="card">
      <h2>{text.everybody}</h2>
      {people.length === 0 && <p class="quiet">{text.nobodyYet}</p>}
      <ul>
        {people.map((person) => (
          <One
            key={String(person.playerId)}
            session={session}
            person={person}
            isOnline={online.has(person.playerId)}
          />
        ))}
      </ul>
    </section>
  )
}

interface OneProps {
  readonly session: SignedIn
  readonly person: Person
  readonly isOnline: boolean
}

function One({ session, person, isOnline }: OneProps) {
  const text = peopleWords.value
  const isOpen = useSignal(false)
  const { playerId, name, lastSeen, minutesPlayed, sessions } = person
  return (
    <Fold
      onToggle={(next) => {
        isOpen.value = next
      }}
      summary={
        <>
          <span class="what">
            <PlayerName name={name} />
            <span class="quiet">
              {isOnline ? text.online : text.lastSeen(dateTime(lastSeen))} ·{' '}
              {text.visits(sessions, number(sessions))}
            </span>
          </span>
          <span class="played">{duration(minutesPlayed * 60_000)}</span>
        </>
      }
    >
      {isOpen.value && <Visits session={session} playerId={playerId} all={sessions} />}
    </Fold>
  )
}

/** Visits that are shown of a person. */
const limit = 20

interface VisitsProps {
  readonly session: SignedIn
  readonly playerId: bigint
  /** How many visits there are. */
  readonly all: number
}

function Visits({ session: { farm, live }, playerId, all }: VisitsProps) {
  const text = peopleWords.value
  const visits = useLoaded(
    async (signal) => (await farm.historySessions({ playerId, limit }, { signal })).sessions,
  )
  if (visits.error.value !== undefined)
    return <Trouble error={visits.error.value} again={() => void visits.again()} />
  if (visits.value.value === undefined) return <p class="quiet">{text.reading}</p>
  return (
    <>
      <ul class="visits" aria-label={text.when}>
        {visits.value.value.map(({ joinedAt, leftAt }) => {
          const joined = Date.parse(joinedAt)
          const left = leftAt === undefined ? undefined : Date.parse(leftAt)
          const length = duration((left ?? live.now()) - joined)
          return (
            <li key={joinedAt}>
              {left === undefined
                ? text.visitNow(dateTime(joined), length)
                : text.visit(dateTimes(joined, left), length)}
            </li>
          )
        })}
      </ul>
      {all > limit && <p class="quiet">{text.onlyNewest}</p>}
    </>
  )
}

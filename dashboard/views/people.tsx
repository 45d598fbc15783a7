/** Who played when, and the farmhands: whom they belong to, and what can be done with them. */
import { useSignal } from '@preact/signals'
import type { Farmhand, HistoryPlayers } from '../../client/index.ts'
import { useAsked } from '../parts/asked.ts'
import { Dialog } from '../parts/dialog.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { PlayerName } from '../parts/player-name.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { allows, type SignedIn } from '../session.ts'
import { dateTime, duration, number, words } from '../words/words.ts'

export function PeopleView({ session }: { readonly session: SignedIn }) {
  const { farm } = session
  const farmhands = useLoaded(async (signal) => (await farm.farmhands({}, { signal })).farmhands)
  const people = useLoaded(async (signal) => (await farm.historyPlayers({}, { signal })).players)
  const isBusy = farmhands.value.value === undefined && farmhands.error.value === undefined
  return (
    <div class="view" aria-busy={isBusy}>
      <h1>{words.value.views.people}</h1>
      {farmhands.error.value !== undefined && (
        <Trouble error={farmhands.error.value} again={() => void farmhands.again()} />
      )}
      {farmhands.value.value !== undefined && (
        <Farmhands session={session} farmhands={farmhands.value.value} onChange={farmhands.again} />
      )}
      {people.error.value !== undefined && (
        <Trouble error={people.error.value} again={() => void people.again()} />
      )}
      {people.value.value !== undefined && <Everybody people={people.value.value} session={session} />}
    </div>
  )
}

interface FarmhandsProps {
  readonly session: SignedIn
  readonly farmhands: readonly Farmhand[]
  readonly onChange: () => Promise<void>
}

function Farmhands({ session, farmhands, onChange }: FarmhandsProps) {
  const { people: text, farm } = words.value
  const online = new Set(session.live.players.value?.players.map(({ id }) => id))
  const claimed = farmhands.filter(({ isCustomized }) => isCustomized)
  const free = farmhands.length - claimed.length
  return (
    <section class="card">
      <header>
        <h2>{text.farmhands}</h2>
        <p class="quiet">{text.free(free, number(free))}</p>
      </header>
      {claimed.length === 0 && <p class="quiet">{text.noFarmhands}</p>}
      <ul class="people">
        {claimed.map((farmhand) => (
          <li key={String(farmhand.id)}>
            <PlayerName name={farmhand.name} />
            <span class="quiet">
              {[
                online.has(farmhand.id) ? text.online : text.offline,
                farm.paths[farmhand.claimedVia ?? 'unknown'],
              ]
                .filter((part) => part !== '')
                .join(' · ')}
            </span>
            {allows(session, 'admin') && (
              <div class="buttons">
                {online.has(farmhand.id) && <MakeAdmin session={session} farmhand={farmhand} />}
                <DeleteFarmhand
                  session={session}
                  farmhand={farmhand}
                  isOnline={online.has(farmhand.id)}
                  onDone={onChange}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function MakeAdmin({ session, farmhand }: { readonly session: SignedIn; readonly farmhand: Farmhand }) {
  const { people: text } = words.value
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

interface DeleteProps {
  readonly session: SignedIn
  readonly farmhand: Farmhand
  readonly isOnline: boolean
  readonly onDone: () => Promise<void>
}

/** Deletes only after the name was typed: it cannot be taken back. */
function DeleteFarmhand({ session, farmhand, isOnline, onDone }: DeleteProps) {
  const { people: text } = words.value
  const isOpen = useSignal(false)
  const typed = useSignal('')
  const asked = useAsked()
  const isSame = typed.value.trim() === farmhand.name.trim()
  const remove = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!isSame) return
    const isDone = await asked.run(async () => {
      await session.farm.deleteFarmhand({ playerId: farmhand.id })
    })
    if (isDone) await onDone()
  }
  return (
    <>
      <button
        type="button"
        class="danger"
        disabled={isOnline}
        title={isOnline ? text.notWhileOnline : undefined}
        onClick={() => {
          isOpen.value = true
        }}
      >
        {text.remove}
      </button>
      {isOpen.value && (
        <Dialog
          title={text.removeTitle}
          onClose={() => {
            isOpen.value = false
          }}
        >
          <form class="form" onSubmit={(event) => void remove(event)}>
            <p>
              <PlayerName name={farmhand.name} />
            </p>
            <p>{text.removeHint}</p>
            <label>
              {text.typeName}
              <input
                value={typed.value}
                autocomplete="off"
                onInput={({ currentTarget }) => {
                  typed.value = currentTarget.value
                }}
              />
            </label>
            {asked.error.value !== undefined && <Trouble error={asked.error.value} />}
            <button type="submit" class="danger" disabled={!isSame} aria-disabled={asked.isBusy.value}>
              {text.remove}
            </button>
          </form>
        </Dialog>
      )}
    </>
  )
}

interface EverybodyProps {
  readonly people: HistoryPlayers['players']
  readonly session: SignedIn
}

function Everybody({ people, session }: EverybodyProps) {
  const { people: text } = words.value
  const online = new Set(session.live.players.value?.players.map(({ id }) => id))
  return (
    <section class="card">
      <h2>{text.everybody}</h2>
      {people.length === 0 && <p class="quiet">{text.nobodyYet}</p>}
      <ul class="people">
        {people.map(({ playerId, name, lastSeen, minutesPlayed, sessions }) => (
          <li key={String(playerId)}>
            <PlayerName name={name} />
            <span class="quiet">
              {online.has(playerId) ? text.online : text.lastSeen(dateTime(lastSeen))} ·{' '}
              {text.visits(sessions, number(sessions))}
            </span>
            <span class="played">{duration(minutesPlayed * 60_000)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** One person: who it is, when and how long they played, and a menu of actions for their farmhand. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Farmhand, HistoryPlayers } from '../../../client/index.ts'
import { Trouble } from '../../parts/asked.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { PlayerName } from '../../parts/player-name.tsx'
import { allows, type SignedIn } from '../../session/session.ts'
import { dateTime, dateTimes, duration, number, texts } from '../../texts/texts.ts'
import { DeleteFarmhand, MakeAdmin, RebindFarmhand } from './actions.tsx'
import { peopleTexts, platforms } from './texts.ts'

interface MenuProps {
  /** The purpose of the menu, for those who cannot see its place. */
  readonly label: string
  /** Its buttons. */
  readonly children: ComponentChildren
}

/** A button with three dots, which opens a list of buttons; one menu is open at a time. */
const Menu = ({ label, children }: MenuProps) => (
  <details class="menu" name="menu">
    <summary aria-label={label}>
      <Icon name="more" />
    </summary>
    <div class="menu-items">{children}</div>
  </details>
)

/** Visits of a person that are shown. */
const limit = 20

interface VisitsProps {
  readonly session: SignedIn
  readonly playerId: bigint
  /** How many visits there are. */
  readonly all: number
}

function Visits({ session: { farm, live }, playerId, all }: VisitsProps) {
  const text = peopleTexts.value
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

export interface Person {
  readonly id: bigint
  readonly name: string
  readonly isOnline: boolean
  /** Undefined for one whose farmhand was deleted. */
  readonly farmhand: Farmhand | undefined
  /** Undefined for one who has not played since farmgate records. */
  readonly played: HistoryPlayers['players'][number] | undefined
}

export interface OnePersonProps {
  readonly session: SignedIn
  readonly person: Person
  /** The game server can give a farmhand to another account, as far as is known. */
  readonly mayRebind: boolean
  readonly onCannotRebind: () => void
  readonly onChange: () => Promise<void>
}

export function OnePerson({ session, person, mayRebind, onCannotRebind, onChange }: OnePersonProps) {
  const text = peopleTexts.value
  const { paths } = texts.value.farm
  const isOpen = useSignal(false)
  const { id, name, isOnline, farmhand, played } = person
  const facts = [
    isOnline ? text.online : played === undefined ? text.offline : text.lastSeen(dateTime(played.lastSeen)),
    farmhand === undefined ? text.noFarmhand : paths[farmhand.claimedVia ?? 'unknown'],
    farmhand?.account === undefined ? '' : `${platforms[farmhand.account.platform]} ${farmhand.account.id}`,
    played === undefined ? '' : text.visits(played.sessions, number(played.sessions)),
  ]
  return (
    <Fold
      onToggle={(next) => {
        isOpen.value = next
      }}
      summary={
        <>
          <span class="what">
            <PlayerName name={name} />
            <span class="quiet">{facts.filter((fact) => fact !== '').join(' · ')}</span>
          </span>
          {played !== undefined && <span class="played">{duration(played.minutesPlayed * 60_000)}</span>}
        </>
      }
      menu={
        farmhand !== undefined &&
        allows(session, 'admin') && (
          <Menu label={text.actions(name)}>
            {isOnline ? (
              <MakeAdmin session={session} farmhand={farmhand} />
            ) : (
              mayRebind && (
                <RebindFarmhand session={session} farmhand={farmhand} onUnsupported={onCannotRebind} />
              )
            )}
            <DeleteFarmhand session={session} farmhand={farmhand} isOnline={isOnline} onDone={onChange} />
          </Menu>
        )
      }
    >
      {isOpen.value &&
        (played === undefined ? (
          <p class="quiet">{text.neverPlayed}</p>
        ) : (
          <Visits session={session} playerId={id} all={played.sessions} />
        ))}
    </Fold>
  )
}

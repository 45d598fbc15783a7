/** The farm now. */
import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Player, Status } from '../../../client/index.ts'
import { CopyButton, QrButton } from '../../parts/copy-button.tsx'
import { useFirstOf } from '../../parts/first-of.tsx'
import { PlayerName } from '../../parts/player-name.tsx'
import { Sky } from '../../parts/sky.tsx'
import type { LiveFarm } from '../../session/live-farm.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { isSeason, weatherOf } from '../../session/status.ts'
import { duration, gameClock, moment, number, texts } from '../../texts/texts.ts'

type Overview = typeof import('./overview.tsx').overview
const loaded = signal<Overview | undefined>(undefined)

/** The cards that load after the farm itself; the farm is shown without them too. */
function useOverview(): Overview | undefined {
  useEffect(() => {
    import('./overview.tsx').then(
      ({ overview }) => {
        loaded.value = overview
      },
      () => undefined,
    )
  }, [])
  return loaded.value
}

export function FarmView({ session }: { readonly session: SignedIn }) {
  const { live } = session
  const status = live.status.value
  const isOut = live.cause.value !== undefined
  const isKnown = status !== undefined && live.players.value !== undefined
  const more = useOverview()
  const outage = isOut && more !== undefined && <more.Outage session={session} />
  return (
    <div class="farm-view">
      <Now live={live} said={more?.said} />
      {/* Shown together, so that none of them moves the other when it appears. */}
      {allows(session, 'read') && (isKnown || isOut) && (
        <>
          <div class="farm-column">
            {isKnown ? <OnTheFarm session={session} /> : outage}
            {isKnown && more !== undefined && <more.PlayersOfDay session={session} />}
            {more !== undefined && <more.Recent session={session} />}
            {isKnown && outage}
          </div>
          <div class="farm-column">
            {isKnown && <Invite status={status} />}
            {isKnown && more !== undefined && <more.ChatPreview session={session} />}
            {more !== undefined && <more.State session={session} />}
          </div>
        </>
      )}
    </div>
  )
}

interface NowProps {
  readonly live: LiveFarm
  /** Says a cause in the language of the page, once that is loaded. */
  readonly said: Overview['said'] | undefined
}

function Now({ live, said }: NowProps) {
  const { seasons, date, weather, awaySince, lostSince, noFarm, sentences } = texts.value
  const status = live.status.value
  const lost = live.lostSince.value
  const reach = lost !== undefined ? 'lost' : live.isOffline.value ? 'away' : 'here'
  const now = weatherOf(status, reach, live.health.value)
  const season = status?.season ?? ''
  const [title, sentence] = weather[now]
  const cause = live.cause.value
  const since = () => {
    if (lost !== undefined) return lostSince(moment(lost))
    if (now !== 'away' || status === undefined || status.lastUpdated === '') return title
    return awaySince(moment(status.lastUpdated))
  }
  return (
    <section class="scene now" data-weather={now}>
      <div class="scene-top">
        <Sky season={season} timeOfDay={status?.timeOfDay || 900} weather={now} />
        <div class="scene-words">
          <h1 dir="auto">{status?.farmName || noFarm}</h1>
          <p class="clock">{status !== undefined && isSeason(season) ? gameClock(status.timeOfDay) : '–'}</p>
          <p class="date">
            {status !== undefined && isSeason(season)
              ? date(seasons[season], number(status.day), number(status.year))
              : '\u00a0'}
          </p>
        </div>
      </div>
      <div class="weather" role="status">
        <strong>{since()}</strong>
        <span>
          {cause === undefined || lost !== undefined
            ? sentence
            : (said?.(cause) ?? sentences(cause.message, cause.next))}
        </span>
      </div>
    </section>
  )
}

/** Players that are shown before the user asks for all. */
const firstShown = 12

/** Milliseconds between two reads of who joined when. */
const lookEvery = 30_000

function OnTheFarm({ session }: { readonly session: SignedIn }) {
  const { farm: text } = texts.value
  const { live, farm } = session
  const players = live.players.value?.players ?? []
  const joined = useSignal<ReadonlyMap<bigint, number>>(new Map())
  const now = useSignal(live.now())
  const who = players.map(({ id }) => id).join()
  useEffect(() => {
    const ended = new AbortController()
    const look = async () => {
      now.value = live.now()
      if (document.hidden || who === '') return
      try {
        const { sessions } = await farm.historySessions({ limit: 100 }, { signal: ended.signal })
        joined.value = new Map(
          sessions
            .filter(({ leftAt }) => leftAt === undefined)
            .map(({ playerId, joinedAt }) => [playerId, Date.parse(joinedAt)]),
        )
      } catch {
        // The list itself is shown; the times come with the next read.
      }
    }
    void look()
    const timer = setInterval(() => void look(), lookEvery)
    return () => {
      clearInterval(timer)
      ended.abort()
    }
  }, [who])
  const most = live.status.value?.maxPlayers ?? 0
  const [shown, more] = useFirstOf(players, firstShown)
  return (
    <section class="card on-the-farm">
      <header>
        <h2>{text.playersOn}</h2>
        <p class="quiet">{most > 0 && text.of(number(players.length), number(most))}</p>
      </header>
      {players.length === 0 ? (
        <p class="quiet">{text.nobody}</p>
      ) : (
        <ul class="people">
          {shown.map((player) => (
            <OnePlayer
              key={String(player.id)}
              player={player}
              since={joined.value.get(player.id)}
              now={now.value}
            />
          ))}
        </ul>
      )}
      {more}
    </section>
  )
}

interface OnePlayerProps {
  readonly player: Player
  readonly since: number | undefined
  readonly now: number
}

function OnePlayer({ player, since, now }: OnePlayerProps) {
  const { here, justNow, paths } = texts.value.farm
  const path = paths[player.connection?.joinPath ?? 'unknown']
  return (
    <li>
      <PlayerName name={player.name} />
      <span class="quiet">
        {since !== undefined && (now - since < 60_000 ? justNow : here(duration(now - since)))}
      </span>
      {path !== '' && <span class="tag">{path}</span>}
    </li>
  )
}

export function Invite({ status }: { readonly status: Status | undefined }) {
  const { invite, steamCode, gogCode, noCode, noSteamYet, howToJoin } = texts.value.farm
  const codes = [
    [steamCode, status?.steamInviteCode],
    [gogCode, status?.gogInviteCode],
  ].filter((one): one is [string, string] => one[1] !== undefined && one[1] !== '')
  return (
    <section class="card invite">
      <h2>{invite}</h2>
      {codes.length === 0 && <p class="quiet">{noCode}</p>}
      {codes.length > 0 && status?.steamRelayReady === false && <p class="quiet">{noSteamYet}</p>}
      {codes.map(([label, code]) => (
        <div key={label} class="code">
          <p class="quiet">{label}</p>
          <p class="letters">{code}</p>
          <div class="buttons">
            <CopyButton text={code} of={code} />
            <QrButton text={code} />
          </div>
        </div>
      ))}
      <p class="quiet">{howToJoin}</p>
    </section>
  )
}

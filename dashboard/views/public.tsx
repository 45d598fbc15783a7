/** Without a key: the farm's name, its day, the number of players, and signing in. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FarmgateError, Status } from '../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../parts/asked.tsx'
import { DemoMark } from '../parts/demo-mark.tsx'
import { HelpLink } from '../parts/help.tsx'
import { LanguageSwitch } from '../parts/language-switch.tsx'
import { Providers } from '../parts/providers.tsx'
import { SignIn } from '../parts/sign-in.tsx'
import { Sky } from '../parts/sky.tsx'
import { oldKey } from '../session/key-storage.ts'
import {
  fleetName,
  openKept,
  publicFarm,
  type Session,
  signIn,
  signOut,
  takeOld,
} from '../session/session.ts'
import { isSeason, type Reach, statusOf, weatherOf } from '../session/status.ts'
import { number, texts } from '../texts/texts.ts'

/** Milliseconds between two reads of the public status. */
const lookEvery = 15_000

interface PublicProps {
  readonly session: Exclude<Session, { phase: 'signed-in' }>
}

export function PublicPage({ session }: PublicProps) {
  const status = useSignal<Status | undefined>(undefined)
  const reach = useSignal<Reach>('here')
  useEffect(() => {
    const ended = new AbortController()
    const look = async () => {
      if (document.hidden) return
      try {
        const seen = await statusOf(publicFarm, ended.signal)
        status.value = seen.status
        reach.value = seen.isOffline ? 'away' : 'here'
      } catch {
        if (!ended.signal.aborted) reach.value = 'lost'
      }
    }
    void look()
    const timer = setInterval(() => void look(), lookEvery)
    return () => {
      clearInterval(timer)
      ended.abort()
    }
  }, [])
  return (
    <main class="public">
      <PublicFarm status={status.value} reach={reach.value} />
      {session.phase === 'starting' ? (
        <Starting trouble={session.trouble} />
      ) : (
        <SignIn
          key={session.refused}
          hint={texts.value.signIn.hint}
          refused={session.refused}
          signIn={signIn}
          again={openKept}
          signOut={signOut}
        >
          <Providers />
          {oldKey() !== undefined && <OldKey />}
        </SignIn>
      )}
      <LanguageSwitch />
      <HelpLink />
    </main>
  )
}

function PublicFarm({ status, reach }: { readonly status: Status | undefined; readonly reach: Reach }) {
  const { noFarm, seasons, date, weather, farm } = texts.value
  const now = weatherOf(status, reach)
  const season = status?.season ?? ''
  return (
    <section class="scene">
      <div class="scene-top">
        <Sky season={season} timeOfDay={status?.timeOfDay || 900} weather={now} />
        <div class="scene-words">
          <h1 dir="auto">{status?.farmName || noFarm}</h1>
          {fleetName !== undefined && <p>{fleetName}</p>}
          <DemoMark of={status} />
          <p>
            {status !== undefined && isSeason(season)
              ? date(seasons[season], number(status.day), number(status.year))
              : '\u00a0'}
          </p>
          <p>
            {status?.isOnline === true && reach === 'here' && now !== 'trouble'
              ? farm.online(status.playerCount, number(status.playerCount))
              : weather[now][0]}
          </p>
        </div>
      </div>
    </section>
  )
}

function Starting({ trouble }: { readonly trouble: FarmgateError | undefined }) {
  const { signIn: text } = texts.value
  return (
    <section class="card sign-in" aria-busy="true">
      <h2>{text.starting}</h2>
      {trouble !== undefined && <p role="status">{text.noAnswer}</p>}
    </section>
  )
}

/** A key that an earlier version stored without the farm's path: only the user knows whether it is one of this farm. */
function OldKey() {
  const { signIn: text } = texts.value
  const asked = useAsked()
  return (
    <div class="form">
      <p>{text.oldKey}</p>
      <Trouble error={asked.error.value} />
      <AskButton of={asked} onClick={() => void asked.run(takeOld)}>
        {text.useOldKey}
      </AskButton>
    </div>
  )
}

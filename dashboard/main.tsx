import { render } from 'preact'
import { later } from './parts/later.tsx'
import { invitation, setup } from './session/person.ts'
import { offeredKey, session, start } from './session/session.ts'
import { Shell } from './shell.tsx'
import { gameClock } from './texts/texts.ts'
import { PublicPage } from './views/public.tsx'

const KeyOffer = later(async () => (await import('./parts/key-offer.tsx')).KeyOffer)
const SetupPage = later(async () => (await import('./views/setup/setup.tsx')).SetupPage)
const OpenedInvitation = later(async () => (await import('./views/accounts/invitation.tsx')).OpenedInvitation)

function App() {
  const now = session.value
  return (
    <>
      {setup.value !== undefined ? (
        <SetupPage key={setup.value} code={setup.value} />
      ) : now.phase === 'signed-in' ? (
        <Shell session={now} />
      ) : (
        <PublicPage session={now} />
      )}
      {offeredKey.value !== undefined && <KeyOffer />}
      {invitation.value !== undefined && now.phase !== 'starting' && (
        <OpenedInvitation key={invitation.value} code={invitation.value} />
      )}
    </>
  )
}
// At once, so that a key leaves the address before anything else can change it.
void start()
const place = document.getElementById('dashboard')
if (place !== null) render(<App />, place)
// The first time that a page writes takes ten milliseconds; here it takes them while the farm answers.
gameClock(600)

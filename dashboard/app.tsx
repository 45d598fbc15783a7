import { useEffect } from 'preact/hooks'
import { KeyOffer } from './parts/key-offer.tsx'
import { later } from './parts/later.tsx'
import { invitation } from './session/person.ts'
import { session, start } from './session/session.ts'
import { Shell } from './shell.tsx'
import { PublicPage } from './views/public.tsx'

const OpenedInvitation = later(async () => (await import('./views/accounts/invitation.tsx')).OpenedInvitation)

export function App() {
  useEffect(() => void start(), [])
  const now = session.value
  return (
    <>
      {now.phase === 'signed-in' ? <Shell session={now} /> : <PublicPage session={now} />}
      <KeyOffer />
      {invitation.value !== undefined && now.phase !== 'starting' && (
        <OpenedInvitation key={invitation.value} code={invitation.value} />
      )}
    </>
  )
}

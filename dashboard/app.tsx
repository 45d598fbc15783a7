import { useEffect } from 'preact/hooks'
import { KeyOffer } from './parts/key-offer.tsx'
import { session, start } from './session/session.ts'
import { Shell } from './shell.tsx'
import { PublicPage } from './views/public.tsx'

export function App() {
  useEffect(() => void start(), [])
  const now = session.value
  return (
    <>
      {now.phase === 'signed-in' ? <Shell session={now} /> : <PublicPage session={now} />}
      <KeyOffer />
    </>
  )
}

import { render } from 'preact'
import { LanguageSwitch } from '../parts/language-switch.tsx'
import { SignIn } from '../parts/sign-in.tsx'
import { FleetView } from './fleet-view.tsx'
import { openKept, session, signIn, signOut } from './session.ts'
import { fleetTexts } from './texts.ts'

function App() {
  const { fleet, refused } = session.value
  if (fleet !== undefined) return <FleetView fleet={fleet} />
  const { title, keyHint } = fleetTexts.value
  return (
    <main class="public">
      <h1>{title}</h1>
      <SignIn
        key={refused}
        hint={keyHint}
        refused={refused}
        signIn={signIn}
        again={openKept}
        signOut={signOut}
      />
      <LanguageSwitch />
    </main>
  )
}

openKept()
const place = document.getElementById('dashboard')
if (place !== null) render(<App />, place)

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import type { SignedIn } from '../../session/session.ts'
import { serverTexts } from './texts.ts'

/** What was typed in a session, oldest first: kept until the person signs out or the page is closed. */
const typedIn = new WeakMap<SignedIn, readonly string[]>()
const mostKept = 100

/** The game's console: a line to type, and what each one printed. */
export function Console({ session }: { readonly session: SignedIn }) {
  const text = serverTexts.value
  const line = useSignal('')
  const printed = useSignal<readonly (readonly [line: string, output: readonly string[]])[]>([])
  /** How far back in what was typed the field is; 0: a new line. */
  const back = useRef(0)
  const field = useRef<HTMLInputElement>(null)
  const asked = useAsked()
  const typed = typedIn.get(session) ?? []
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = field.current?.form
    const sent = line.value.trim()
    if (sent === '' || asked.mustWait.value) return
    typedIn.set(session, [...typed.filter((one) => one !== sent), sent].slice(-mostKept))
    back.current = 0
    const isSent = await asked.run(async () => {
      const { output } = await session.farm.typeAtConsole({ line: sent })
      printed.value = [...printed.value, [sent, output] as const].slice(-20)
    })
    if (isSent) line.value = ''
    // A user who has moved the focus meanwhile keeps it there.
    if (form?.contains(document.activeElement)) field.current?.focus()
  }
  const recall = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    back.current = Math.min(Math.max(back.current + by, 0), typed.length)
    line.value = back.current === 0 ? '' : (typed.at(-back.current) ?? '')
  }
  return (
    <form class="card form game-console" onSubmit={(event) => void send(event)}>
      <h2>{text.console}</h2>
      {printed.value.length > 0 && (
        <div class="printed" role="log" aria-label={text.console}>
          {printed.value.map(([sent, output], at) => (
            <div key={at}>
              <p class="sent">{sent}</p>
              {output.length === 0 && <p class="quiet">{text.silent}</p>}
              {output.map((one, row) => (
                <p key={row}>{one}</p>
              ))}
            </div>
          ))}
        </div>
      )}
      <Trouble error={asked.error.value} />
      <div class="row">
        <input
          ref={field}
          value={line.value}
          aria-label={text.console}
          aria-describedby="console-hint"
          maxLength={512}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          readOnly={asked.isBusy.value}
          onKeyDown={recall}
          onInput={({ currentTarget }) => {
            line.value = currentTarget.value
          }}
        />
        <AskButton of={asked} class="main">
          {text.send}
        </AskButton>
      </div>
      <p id="console-hint" class="quiet">
        {text.consoleHint}
      </p>
    </form>
  )
}

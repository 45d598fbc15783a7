/** An address came with a key while this browser keeps another one: nothing is replaced unless the user confirms it. */

import { offeredKey, takeOffered } from '../session/session.ts'
import { texts } from '../texts/texts.ts'
import { AskButton, Trouble, useAsked } from './asked.tsx'
import { Dialog } from './dialog.tsx'

export function KeyOffer() {
  const { signIn: text } = texts.value
  const asked = useAsked()
  const leave = () => {
    offeredKey.value = undefined
    asked.error.value = undefined
  }
  return (
    <Dialog title={text.offered} onClose={leave}>
      <div class="form">
        <p>{text.offeredHint}</p>
        <Trouble error={asked.error.value} />
        <div class="buttons">
          <button type="button" onClick={leave}>
            {text.keepOwn}
          </button>
          <AskButton of={asked} class="danger" onClick={() => void asked.run(takeOffered)}>
            {text.replaceOwn}
          </AskButton>
        </div>
      </div>
    </Dialog>
  )
}

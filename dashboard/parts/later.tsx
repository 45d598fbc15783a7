/** A view that is loaded when it is opened first, so that the page itself stays small. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { FarmgateError } from '../../client/index.ts'
import type { SignedIn } from '../session.ts'
import { useAsked } from './asked.ts'
import { Trouble } from './trouble.tsx'

type View = ComponentType<{ readonly session: SignedIn }>

export function later(load: () => Promise<View>): View {
  const loaded = signal<View | undefined>(undefined)
  return function Later(props) {
    const asked = useAsked()
    useEffect(() => {
      if (loaded.value === undefined)
        void asked.run(async () => {
          try {
            loaded.value = await load()
          } catch {
            throw new FarmgateError('not_loaded', 'A part of the page could not be loaded')
          }
        })
    }, [])
    const Loaded = loaded.value
    if (Loaded !== undefined) return <Loaded {...props} />
    if (asked.error.value === undefined) return <div aria-busy="true" />
    // After an update of the server the old parts are gone: the page itself has to be loaded again.
    return (
      <div class="view">
        <Trouble error={asked.error.value} again={() => location.reload()} />
      </div>
    )
  }
}

/** A part of the page that loads when it is first shown, so that the page itself stays small. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { FarmgateError } from '../../client/index.ts'
import { isLost } from '../session/connection.ts'
import { Trouble, useAsked } from './asked.tsx'

/** @param isQuiet nothing is shown until it is loaded, nor where it cannot be */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  isQuiet = false,
): ComponentType<Props> {
  const loaded = signal<ComponentType<Props> | undefined>(undefined)
  return function Later(props: Props) {
    const asked = useAsked()
    // While farmgate is unreachable nothing is requested; the part loads when it is back.
    const isOut = isLost.value
    useEffect(() => {
      if (loaded.value === undefined && !isOut)
        void asked.run(async () => {
          loaded.value = await load()
        })
    }, [isOut])
    const Loaded = loaded.value
    if (Loaded !== undefined) return <Loaded {...props} />
    if (isQuiet) return null
    if (asked.error.value === undefined) return <div aria-busy="true" />
    // After an update of the server the old parts no longer exist: the page itself must be loaded again.
    return (
      <div class="view">
        <Trouble error={notLoaded} again={() => location.reload()} />
      </div>
    )
  }
}

const notLoaded = new FarmgateError('not_loaded', 'A part of the page could not be loaded')

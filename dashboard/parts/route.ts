/** Which view is shown: the fragment of the address, so that it works under every path. */
import { signal } from '@preact/signals'
import { en, type Words } from '../texts/en.ts'

export type ViewName = keyof Words['views']

const isView = (name: string): name is ViewName => Object.hasOwn(en.views, name)

function viewOfAddress(): ViewName {
  const name = location.hash.slice(2)
  return location.hash.startsWith('#/') && isView(name) ? name : 'farm'
}

export const view = signal<ViewName>(viewOfAddress())

addEventListener('hashchange', () => {
  view.value = viewOfAddress()
})

export const addressOf = (name: ViewName): string => `#/${name}`

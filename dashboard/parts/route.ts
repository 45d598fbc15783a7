/** Which view is shown: the fragment of the address, so that it works under every path. */
import { signal } from '@preact/signals'

const viewNames = [
  'farm',
  'chat',
  'people',
  'cabins',
  'controls',
  'server',
  'schedules',
  'history',
  'backups',
  'mods',
  'webhooks',
  'discord',
  'keys',
  'accounts',
  'audit',
  'settings',
  'doctor',
] as const
export type ViewName = (typeof viewNames)[number]

const viewOfAddress = (): ViewName => viewNames.find((name) => location.hash === `#/${name}`) ?? 'farm'

export const view = signal<ViewName>(viewOfAddress())

addEventListener('hashchange', () => {
  view.value = viewOfAddress()
})

export const addressOf = (name: ViewName): string => `#/${name}`

/** The page of a signed-in user: the views that the key allows, and the open one. */
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Scope } from '../client/index.ts'
import { Icon } from './parts/icon.tsx'
import { LanguageSwitch } from './parts/language-switch.tsx'
import { later } from './parts/later.tsx'
import { LineState } from './parts/line-state.tsx'
import { addressOf, type ViewName, view } from './parts/route.ts'
import { allows, fleetName, type SignedIn, signOut } from './session/session.ts'
import { texts } from './texts/texts.ts'
import { FarmView } from './views/farm/farm.tsx'

export interface ViewProps {
  readonly session: SignedIn
}

interface View {
  readonly name: ViewName
  /** One of these is needed to open it. */
  readonly scopes: readonly Scope[]
  readonly show: ComponentType<ViewProps>
}

const laterView = (name: ViewName, scopes: readonly Scope[], load: () => Promise<View['show']>): View => ({
  name,
  scopes,
  show: later(load),
})

const views: readonly View[] = [
  { name: 'farm', scopes: ['read', 'chat', 'control'], show: FarmView },
  laterView('chat', ['read', 'chat'], async () => (await import('./views/chat.tsx')).ChatView),
  laterView('people', ['read'], async () => (await import('./views/people/people.tsx')).PeopleView),
  laterView(
    'controls',
    ['control'],
    async () => (await import('./views/controls/controls.tsx')).ControlsView,
  ),
  laterView('server', ['read'], async () => (await import('./views/server/server.tsx')).ServerView),
  laterView(
    'schedules',
    ['read'],
    async () => (await import('./views/schedules/schedules.tsx')).SchedulesView,
  ),
  laterView('cabins', ['read'], async () => (await import('./views/cabins/cabins.tsx')).CabinsView),
  laterView('history', ['read'], async () => (await import('./views/history/history.tsx')).HistoryView),
  laterView('backups', ['read'], async () => (await import('./views/backups/backups.tsx')).BackupsView),
  laterView('mods', ['read'], async () => (await import('./views/mods/mods.tsx')).ModsView),
  laterView('webhooks', ['admin'], async () => (await import('./views/webhooks/webhooks.tsx')).WebhooksView),
  laterView('discord', ['admin'], async () => (await import('./views/discord/discord.tsx')).DiscordView),
  laterView('keys', ['admin'], async () => (await import('./views/keys.tsx')).KeysView),
  laterView('accounts', ['admin'], async () => (await import('./views/accounts/accounts.tsx')).AccountsView),
  laterView('audit', ['admin'], async () => (await import('./views/audit/audit.tsx')).AuditView),
  laterView('settings', ['read'], async () => (await import('./views/settings/settings.tsx')).SettingsView),
  laterView('doctor', ['read'], async () => (await import('./views/doctor/doctor.tsx')).DoctorView),
]

const NoScopes = later(async () => (await import('./parts/person.tsx')).NoScopes)
const WrongFarm = later(async () => (await import('./views/right-farm/wrong-farm.tsx')).WrongFarm, true)
const Person = later(async () => (await import('./parts/person.tsx')).Person)

/** How many views are in the bar of a phone; the others, the language and signing out are behind “More”. */
const inBar = 4

export function Shell({ session }: ViewProps) {
  const { shell, views: names, noFarm } = texts.value
  const offered = views.filter(
    ({ name, scopes }) =>
      (name !== 'server' || session.hasHost) &&
      (name !== 'mods' || session.hasMods) &&
      (name !== 'accounts' || session.providers.length > 0) &&
      scopes.some((scope) => allows(session, scope)),
  )
  const { isComplete } = session
  const open = offered.find(({ name }) => name === view.value) ?? (isComplete ? offered[0] : undefined)
  const isMoreOpen = useSignal(false)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const unread = session.live.chat.unread.value
  const farmName = session.live.status.value?.farmName || noFarm

  useEffect(() => {
    isMoreOpen.value = false
    if (isFirst.current) isFirst.current = false
    else {
      main.current?.scrollTo({ top: 0 })
      main.current?.focus()
    }
  }, [open?.name])
  useEffect(() => {
    const place = fleetName === undefined ? farmName : `${farmName} (${fleetName})`
    const title = open === undefined ? place : `${names[open.name]} · ${place}`
    document.title = unread > 0 ? `(${unread}) ${title}` : title
  })

  const Open = open?.show
  return (
    <div
      class="shell"
      data-stale={session.live.lostSince.value !== undefined || session.live.isOffline.value}
    >
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        {shell.skip}
      </button>
      <header class="top">
        <p class="farm-name" dir="auto">
          {farmName}
          {fleetName !== undefined && <bdi class="quiet"> {fleetName}</bdi>}
        </p>
        <LineState line={session.live.line.value} />
      </header>
      <nav aria-label={shell.navigation} data-more={isMoreOpen.value} data-complete={isComplete}>
        <p class="brand">
          <Icon name="farm" />
          <span>
            <bdi>{farmName}</bdi>
            {fleetName !== undefined && <bdi class="quiet"> {fleetName}</bdi>}
          </span>
        </p>
        <ul>
          {offered.map(({ name }, at) => (
            <li key={name} data-bar={at < inBar}>
              <a href={addressOf(name)} aria-current={name === open?.name ? 'page' : undefined}>
                <Icon name={name} />
                {names[name]}
                {name === 'chat' && unread > 0 && (
                  <span class="badge">
                    <span aria-hidden="true">{unread > 99 ? '99+' : unread}</span>
                    <span class="unseen">{shell.unread(String(unread), unread)}</span>
                  </span>
                )}
              </a>
            </li>
          ))}
          <li class="more">
            <button
              type="button"
              aria-expanded={isMoreOpen.value}
              aria-current={offered.findIndex(({ name }) => name === open?.name) >= inBar}
              onClick={() => {
                isMoreOpen.value = !isMoreOpen.value
              }}
            >
              <Icon name="more" />
              {shell.more}
            </button>
          </li>
        </ul>
        <div class="own">
          <LanguageSwitch />
          {session.own.account !== undefined ? (
            <Person session={session} />
          ) : (
            <button type="button" class="bare with-icon" onClick={() => signOut()}>
              <Icon name="leave" />
              {shell.signOut}
            </button>
          )}
        </div>
      </nav>
      <main ref={main} tabIndex={-1}>
        {isComplete && allows(session, 'read') && <WrongFarm session={session} />}
        {Open !== undefined ? (
          <Open session={session} />
        ) : isComplete ? (
          <NoScopes />
        ) : (
          <div aria-busy="true" />
        )}
      </main>
    </div>
  )
}

/** The page of a signed-in user: the views that the key allows, and the open one. */
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Scope } from '../client/index.ts'
import { DemoMark } from './parts/demo-mark.tsx'
import { HelpLink } from './parts/help.tsx'
import { Icon } from './parts/icon.tsx'
import { LanguageSwitch } from './parts/language-switch.tsx'
import { later } from './parts/later.tsx'
import { LineState } from './parts/line-state.tsx'
import { addressOf, type ViewName, view } from './parts/route.ts'
import { allows, fleetName, type SignedIn, signOut } from './session/session.ts'
import type { Words } from './texts/en.ts'
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

type GroupName = keyof Words['groups']

const laterView = (name: ViewName, scopes: readonly Scope[], load: () => Promise<View['show']>): View => ({
  name,
  scopes,
  show: later(load),
})

/** In the order of the navigation. */
const groups: Readonly<Record<GroupName, readonly View[]>> = {
  farm: [
    { name: 'farm', scopes: ['read', 'chat', 'control'], show: FarmView },
    laterView('chat', ['read', 'chat'], async () => (await import('./views/chat.tsx')).ChatView),
    laterView('people', ['read'], async () => (await import('./views/people/people.tsx')).PeopleView),
    laterView('history', ['read'], async () => (await import('./views/history/history.tsx')).HistoryView),
  ],
  world: [
    laterView(
      'controls',
      ['control'],
      async () => (await import('./views/controls/controls.tsx')).ControlsView,
    ),
    laterView('cabins', ['read'], async () => (await import('./views/cabins/cabins.tsx')).CabinsView),
    laterView('saves', ['read'], async () => (await import('./views/backups/saves.tsx')).SavesView),
    laterView('backups', ['read'], async () => (await import('./views/backups/backups.tsx')).BackupsView),
    laterView('mods', ['read'], async () => (await import('./views/mods/mods.tsx')).ModsView),
  ],
  server: [
    laterView('server', ['read'], async () => (await import('./views/server/server.tsx')).ServerView),
    laterView(
      'schedules',
      ['read'],
      async () => (await import('./views/schedules/schedules.tsx')).SchedulesView,
    ),
    laterView('settings', ['read'], async () => (await import('./views/settings/settings.tsx')).SettingsView),
    laterView('doctor', ['read'], async () => (await import('./views/doctor/doctor.tsx')).DoctorView),
  ],
  access: [
    laterView('keys', ['admin'], async () => (await import('./views/keys.tsx')).KeysView),
    laterView(
      'accounts',
      ['admin'],
      async () => (await import('./views/accounts/accounts.tsx')).AccountsView,
    ),
    laterView('audit', ['admin'], async () => (await import('./views/audit/audit.tsx')).AuditView),
    laterView(
      'webhooks',
      ['admin'],
      async () => (await import('./views/webhooks/webhooks.tsx')).WebhooksView,
    ),
    laterView('discord', ['admin'], async () => (await import('./views/discord/discord.tsx')).DiscordView),
  ],
}

/** The drawings of the groups in the bar of a phone. */
const icons = { farm: 'farm', world: 'cabins', server: 'server', access: 'keys' } as const

/** Whether the operator has set up what the view shows. */
const isSetUp = ({ hasHost, hasMods, providers }: SignedIn, name: ViewName): boolean =>
  (name !== 'server' || hasHost) &&
  (name !== 'mods' || hasMods) &&
  (name !== 'accounts' || providers.length > 0)

const NoScopes = later(async () => (await import('./parts/person.tsx')).NoScopes)
const WrongFarm = later(async () => (await import('./views/right-farm/wrong-farm.tsx')).WrongFarm, true)
const Person = later(async () => (await import('./parts/person.tsx')).Person)

const NotSetUp = later(async () => (await import('./views/not-set-up.tsx')).NotSetUp)

/** New chat lines. */
function Unread({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <span class="badge">
      <span aria-hidden="true">{count > 99 ? '99+' : count}</span>
      <span class="unseen">{texts.value.shell.unread(String(count), count)}</span>
    </span>
  )
}

export function Shell({ session }: ViewProps) {
  const { shell, views: names, groups: groupNames, noFarm } = texts.value
  const { isComplete } = session
  const isAdmin = allows(session, 'admin')
  const offered = Object.entries(groups).flatMap(([group, all]) => {
    const views = all.filter(
      ({ name, scopes }) =>
        scopes.some((scope) => allows(session, scope)) && (isAdmin || isSetUp(session, name)),
    )
    return views.length === 0 ? [] : [{ group: group as GroupName, views }]
  })
  const all = offered.flatMap(({ views }) => views)
  const open = all.find(({ name }) => name === view.value) ?? (isComplete ? all[0] : undefined)
  /** On a phone: the group whose views are shown above the bar. */
  const openGroup = useSignal<GroupName | undefined>(undefined)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const unread = session.live.chat.unread.value
  const status = session.live.status.value
  const farmName = status?.farmName || noFarm

  useEffect(() => {
    openGroup.value = undefined
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
        <DemoMark of={status} />
        <LineState line={session.live.line.value} />
        <HelpLink />
      </header>
      <nav aria-label={shell.navigation} data-open={openGroup.value} data-complete={isComplete}>
        <p class="brand">
          <Icon name="farm" />
          <span>
            <bdi>{farmName}</bdi>
            {fleetName !== undefined && <bdi class="quiet"> {fleetName}</bdi>}
          </span>
          <DemoMark of={status} />
        </p>
        {offered.map(({ group, views }) => (
          <div key={group} class="group" data-open={group === openGroup.value}>
            <h2 id={`group-${group}`}>{groupNames[group]}</h2>
            <button
              type="button"
              aria-expanded={group === openGroup.value}
              aria-current={views.some(({ name }) => name === open?.name)}
              onClick={() => {
                openGroup.value = group === openGroup.value ? undefined : group
              }}
            >
              <Icon name={icons[group]} />
              {groupNames[group]}
              {group === 'farm' && <Unread count={unread} />}
            </button>
            <ul aria-labelledby={`group-${group}`}>
              {views.map(({ name }) => (
                <li key={name}>
                  <a
                    href={addressOf(name)}
                    aria-current={name === open?.name ? 'page' : undefined}
                    onClick={() => {
                      openGroup.value = undefined
                    }}
                  >
                    <Icon name={name} />
                    {names[name]}
                    {name === 'chat' && <Unread count={unread} />}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
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
        {open !== undefined && isComplete && !isSetUp(session, open.name) ? (
          <NotSetUp view={open.name} />
        ) : Open !== undefined ? (
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

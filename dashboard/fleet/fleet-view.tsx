/** The farms of the fleet, worst trouble first: filter, select, and open them. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { byTrouble, type Fleet } from '../../client/fleet.ts'
import type { FleetActionSummary, FleetEntry } from '../../client/index.ts'
import { Trouble, useAsked } from '../parts/asked.tsx'
import { Choice, Field } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { LanguageSwitch } from '../parts/language-switch.tsx'
import { LineState } from '../parts/line-state.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { keep } from '../session/browser-storage.ts'
import { storageName } from '../session/key-storage.ts'
import { number, texts } from '../texts/texts.ts'
import { Edit } from './edit.tsx'
import { FarmRow } from './farm-row.tsx'
import { KeptActions } from './kept-actions.tsx'
import { signOut } from './session.ts'
import { fleetTexts } from './texts.ts'
import { type Begun, WithSelected } from './with-selected.tsx'

/** Milliseconds between two reads of the list. Farms report at most once a minute. */
const lookEvery = 15_000
/** Rows that are drawn at first, and with each request for more: a thousand at once would hold the page up. */
const rowsAtOnce = 100

export function FleetView({ fleet }: { readonly fleet: Fleet }) {
  const text = fleetTexts.value
  const list = useLoaded(async (signal) => (await fleet.farms({}, { signal })).farms, lookEvery)
  const search = useSignal('')
  const tag = useSignal('')
  const selected = useSignal<ReadonlySet<string>>(new Set())
  const rows = useSignal(rowsAtOnce)
  const edited = useSignal<FleetEntry | undefined>(undefined)
  const begun = useSignal<Begun | undefined>(undefined)
  const kept = useLoaded<readonly FleetActionSummary[]>(async (signal, last) => {
    const { actions } = await fleet.actions({}, { signal })
    // One that still runs after the page was loaded again.
    if (last === undefined) begun.value ??= actions.find(({ state }) => state === 'running')
    return actions
  })
  const shownId = begun.value?.id
  const others = (kept.value.value ?? []).filter(({ id }) => id !== shownId)
  useEffect(() => {
    if (shownId === undefined && kept.value.peek() !== undefined) void kept.again()
  }, [shownId])
  const opening = useAsked()
  useEffect(() => {
    document.title = `${text.title} · ${location.host}`
  })

  const farms = list.value.value ?? []
  const tags = tagsOf(farms, tag.value)
  const matching = farms.filter((one) => matches(one, search.value, tag.value))
  const found = byTrouble(matching)
  const hidden = found.length - rows.value
  // Nothing happens at a farm that the filter hides.
  const chosen = matching.filter(({ farm }) => selected.value.has(farm))
  const isAllSelected = found.length > 0 && found.every(({ farm }) => selected.value.has(farm))
  const troubled = farms.filter(({ trouble }) => trouble.length > 0).length
  const players = farms.reduce((sum, { players = 0 }) => sum + players, 0)
  const select = (these: readonly FleetEntry[], isSelected: boolean) => {
    const next = new Set(selected.value)
    for (const { farm } of these) isSelected ? next.add(farm) : next.delete(farm)
    selected.value = next
  }
  const open = (farm: string) =>
    void opening.run(async () => {
      const { url } = await fleet.dashboardLink({ farm })
      const { hash } = new URL(url)
      const { pathname } = new URL(`../farms/${farm}/`, location.href)
      // Otherwise the farm's page asks whether to replace an older key, such as the last one that was made here.
      keep('tab', storageName(pathname), hash.slice('#key='.length))
      location.assign(pathname + hash)
    })
  return (
    <div class="fleet" data-stale={list.error.value !== undefined}>
      <header>
        <h1>{text.title}</h1>
        <LineState
          line={list.error.value !== undefined ? 'reconnecting' : list.isBusy.value ? 'connecting' : 'live'}
        />
        <LanguageSwitch />
        <button type="button" class="bare with-icon" onClick={signOut}>
          <Icon name="leave" />
          {texts.value.shell.signOut}
        </button>
      </header>
      <main class="view" aria-busy={list.isBusy.value}>
        <Trouble error={list.error.value} again={() => void list.again()} />
        <Trouble error={opening.error.value} />
        <p role="status">
          {list.value.value !== undefined &&
            [
              text.farms(farms.length, number(farms.length)),
              ...(troubled > 0 ? [text.inTrouble(troubled, number(troubled))] : []),
              text.online(players, number(players)),
            ].join(' · ')}
        </p>
        {farms.length > 0 && (
          <div class="pair">
            <Field label={text.search} of={search} type="search" />
            {tags.length > 0 && (
              <Choice label={text.tag} among={['', ...tags]} of={tag} texts={(one) => one || text.allTags} />
            )}
          </div>
        )}
        <WithSelected fleet={fleet} farms={chosen} clear={() => select(chosen, false)} begun={begun} />
        {list.value.value !== undefined && found.length === 0 && (
          <p>{farms.length === 0 ? text.none : text.noMatch}</p>
        )}
        {found.length > 0 && (
          <section class="card">
            <table class="rows farms">
              <thead>
                <tr>
                  <th data-label={text.selectShown}>
                    <input
                      type="checkbox"
                      aria-label={text.selectShown}
                      checked={isAllSelected}
                      onChange={({ currentTarget: { checked } }) => select(found, checked)}
                    />
                  </th>
                  {(
                    [
                      'farm',
                      'trouble',
                      'players',
                      'backup',
                      'token',
                      'version',
                      'tags',
                      'note',
                      'actions',
                    ] as const
                  ).map((name) => (
                    <th key={name} scope="col">
                      {text[name]}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {found.slice(0, rows.value).map((one) => (
                  <FarmRow
                    key={one.farm}
                    of={one}
                    isSelected={selected.value.has(one.farm)}
                    onSelect={(isSelected) => select([one], isSelected)}
                    onOpen={() => open(one.farm)}
                    onEdit={() => {
                      edited.value = one
                    }}
                  />
                ))}
              </tbody>
            </table>
            {hidden > 0 && (
              <button
                type="button"
                onClick={() => {
                  rows.value += rowsAtOnce
                }}
              >
                {texts.value.showMore(number(Math.min(hidden, rowsAtOnce)))}
              </button>
            )}
          </section>
        )}
        <Trouble error={kept.error.value} again={() => void kept.again()} />
        {others.length > 0 && <KeptActions fleet={fleet} actions={others} />}
        {edited.value !== undefined && (
          <Edit
            fleet={fleet}
            of={edited.value}
            onClose={() => {
              edited.value = undefined
            }}
            onSaved={list.again}
          />
        )}
      </main>
    </div>
  )
}

/** @param text is part of the name, the note or a tag, in any case @param tag empty for all */
const matches = ({ farm, note = '', tags }: FleetEntry, text: string, tag: string): boolean =>
  (tag === '' || tags.includes(tag)) &&
  [farm, note, ...tags].some((one) => one.toLowerCase().includes(text.trim().toLowerCase()))

/** All tags in use and the chosen one, which a farm may have lost, sorted. @param chosen empty for none */
const tagsOf = (farms: readonly FleetEntry[], chosen: string): readonly string[] =>
  [...new Set([...farms.flatMap(({ tags }) => tags), ...(chosen === '' ? [] : [chosen])])].toSorted()

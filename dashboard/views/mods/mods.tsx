/** The mods of the game server, those with problems first. */
import { useEffect } from 'preact/hooks'
import type { Mod, Mods } from '../../../client/index.ts'
import { Trouble } from '../../parts/asked.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { addressOf } from '../../parts/route.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'
import { InstallMods } from './install.tsx'
import { OneMod } from './one-mod.tsx'
import { PlayersPack } from './pack.tsx'
import { modsTexts } from './texts.ts'

export function ModsView({ session }: { readonly session: SignedIn }) {
  const text = modsTexts.value
  const all = useLoaded<Mods>((signal) => session.farm.mods({}, { signal }))
  useEffect(() => {
    const ended = new AbortController()
    // The list then shows newer versions. Not set up everywhere; the answer is kept for hours.
    session.farm.modUpdates({}, { signal: ended.signal }).then(all.again, () => undefined)
    return () => ended.abort()
  }, [])
  const list = all.value.value
  const newer = list?.mods.flatMap(({ name, update }) => (update === undefined ? [] : name)) ?? []
  const mods = [...(list?.mods ?? [])].sort((a, b) => rank(a) - rank(b))
  const neededBy = neededAmong(mods)
  const isAdmin = allows(session, 'admin')
  const mayChange = isAdmin && list?.access === 'rw'
  return (
    <div class="view" aria-busy={all.isBusy.value}>
      <h1>{texts.value.views.mods}</h1>
      <Trouble error={all.error.value} again={() => void all.again()} />
      {list !== undefined && (
        <>
          {list.restartNeeded && (
            <p class="card" role="status">
              {text.restartNeeded} {session.hasHost && <a href={addressOf('server')}>{text.restart}</a>}
            </p>
          )}
          {newer.length > 0 && (
            <p class="card" role="status">
              {text.updates(newer)}
            </p>
          )}
          {mayChange && <InstallMods session={session} onDone={all.again} />}
          <section class="card">
            <p class="quiet">{text.hint}</p>
            {list.access === 'ro' && <p>{text.readOnly}</p>}
            {list.incomplete === true && <p class="trouble">{text.incomplete}</p>}
            {mods.length === 0 && <p>{text.none}</p>}
            <ul>
              {mods.map((mod) => (
                <OneMod
                  key={`${mod.enabled} ${mod.folder}`}
                  session={session}
                  mod={mod}
                  neededBy={neededBy(mod)}
                  mayChange={mayChange}
                  onChange={all.again}
                />
              ))}
            </ul>
          </section>
          {isAdmin && mods.length > 0 && <PlayersPack session={session} />}
        </>
      )}
    </div>
  )
}

const rank = ({ problems, enabled, update }: Mod): number =>
  problems.length > 0 ? 0 : enabled ? (update === undefined ? 2 : 1) : 3

/** Names of the enabled mods that do not load without a mod, as the server counts them. */
function neededAmong(mods: readonly Mod[]): (mod: Mod) => string[] {
  const keyOf = (id: string) => id.toLowerCase()
  const enabled = mods.filter((mod) => mod.enabled)
  const same = Map.groupBy(enabled, ({ id }) => keyOf(id))
  const needing = new Map<string, Set<string>>()
  for (const { name, contentFor, dependencies } of enabled)
    for (const id of [contentFor ?? [], dependencies.flatMap((one) => (one.required ? one.id : []))].flat())
      needing.set(keyOf(id), (needing.get(keyOf(id)) ?? new Set()).add(name))
  return ({ id, enabled: isEnabled }) =>
    isEnabled && same.get(keyOf(id))?.length === 1 ? [...(needing.get(keyOf(id)) ?? [])] : []
}

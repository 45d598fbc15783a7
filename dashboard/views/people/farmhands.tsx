/** The farmhands: whom they belong to, who plays one now, and what can be done with them. */
import { useSignal } from '@preact/signals'
import type { Farmhand } from '../../../client/index.ts'
import { PlayerName } from '../../parts/player-name.tsx'
import { allows, type SignedIn } from '../../session/session.ts'
import { number, words } from '../../words/words.ts'
import { DeleteFarmhand } from './delete-farmhand.tsx'
import { MakeAdmin } from './make-admin.tsx'
import { RebindFarmhand } from './rebind-farmhand.tsx'
import { peopleWords } from './words.ts'

export interface FarmhandsProps {
  readonly session: SignedIn
  readonly farmhands: readonly Farmhand[]
  readonly online: ReadonlySet<bigint>
  readonly onChange: () => Promise<void>
}

export function Farmhands({ session, farmhands, online, onChange }: FarmhandsProps) {
  const text = peopleWords.value
  const { paths } = words.value.farm
  const mayRebind = useSignal(true)
  const claimed = farmhands.filter(({ isCustomized }) => isCustomized)
  const free = farmhands.length - claimed.length
  return (
    <section class="card">
      <header>
        <h2>{text.farmhands}</h2>
        <p class="quiet">{text.free(free, number(free))}</p>
      </header>
      {claimed.length === 0 && <p class="quiet">{text.noFarmhands}</p>}
      <ul class="people">
        {claimed.map((farmhand) => (
          <li key={String(farmhand.id)}>
            <PlayerName name={farmhand.name} />
            <span class="quiet">
              {[online.has(farmhand.id) ? text.online : text.offline, paths[farmhand.claimedVia ?? 'unknown']]
                .filter((part) => part !== '')
                .join(' · ')}
            </span>
            {allows(session, 'admin') && (
              <div class="buttons">
                {online.has(farmhand.id) ? (
                  <MakeAdmin session={session} farmhand={farmhand} />
                ) : (
                  mayRebind.value && (
                    <RebindFarmhand
                      session={session}
                      farmhand={farmhand}
                      onUnsupported={() => {
                        mayRebind.value = false
                      }}
                    />
                  )
                )}
                <DeleteFarmhand
                  session={session}
                  farmhand={farmhand}
                  isOnline={online.has(farmhand.id)}
                  onDone={onChange}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

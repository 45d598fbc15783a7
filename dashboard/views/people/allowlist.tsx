/** Whose joining the operator expects; the game itself refuses no one. */
import { useSignal } from '@preact/signals'
import type { AllowedAccount, Farmhand } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { Choice, Field } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { noteStored, StoredInMemory } from '../../parts/stored-in-memory.tsx'
import type { SignedIn } from '../../session/session.ts'
import { peopleTexts, platforms } from './texts.ts'

interface AllowlistProps {
  readonly session: SignedIn
  readonly farmhands: readonly Farmhand[]
}

const keyOf = ({ platform, id }: Pick<AllowedAccount, 'platform' | 'id'>) => `${platform} ${id}`

export function Allowlist({ session, farmhands }: AllowlistProps) {
  const text = peopleTexts.value
  const { farm } = session
  const read = useLoaded(async (signal) => (await farm.allowlist({}, { signal })).accounts)
  const platform = useSignal<AllowedAccount['platform']>('steam')
  const id = useSignal('')
  const note = useSignal('')
  const asked = useAsked()
  const accounts = read.value.value
  // A farm of an earlier release does not know the path.
  if (accounts === undefined) return null
  const listed = new Set(accounts.map(keyOf))
  const known = farmhands.flatMap(({ name, account }) =>
    account === undefined || listed.has(keyOf(account)) ? [] : [{ ...account, note: name.slice(0, 64) }],
  )
  const put = (next: readonly AllowedAccount[]) =>
    asked.run(async () => {
      noteStored(await farm.setAllowlist({ accounts: [...next] }))
      await read.again()
    })
  const add = async (event: SubmitEvent) => {
    event.preventDefault()
    const label = note.value.trim()
    const one = { platform: platform.value, id: id.value.trim(), ...(label !== '' && { note: label }) }
    if (listed.has(keyOf(one)) || !(await put([...accounts, one]))) return
    id.value = ''
    note.value = ''
  }
  return (
    <section class="card form">
      <h2>{text.allowlist}</h2>
      <p class="quiet">{accounts.length === 0 ? text.everyone : text.onlyListed}</p>
      <p class="quiet">{text.cannotRefuse}</p>
      <StoredInMemory />
      <ul>
        {accounts.map((one) => (
          <li key={keyOf(one)} class="pair">
            <span>
              {one.note !== undefined && <bdi>{one.note} </bdi>}
              <span class="quiet">
                {platforms[one.platform]} {one.id}
              </span>
            </span>
            <AskButton
              of={asked}
              class="bare"
              aria-label={text.unlistName(one.note ?? one.id)}
              onClick={() => void put(accounts.filter((other) => other !== one))}
            >
              {text.unlist}
            </AskButton>
          </li>
        ))}
      </ul>
      <form class="form" onSubmit={(event) => void add(event)}>
        <div class="pair">
          <Choice
            label={text.platform}
            among={['steam', 'galaxy'] as const}
            of={platform}
            texts={(one) => platforms[one]}
          />
          <Field label={text.identity} of={id} required pattern="[1-9][0-9]{0,19}" inputMode="numeric" />
          <Field label={text.note} of={note} maxLength={64} />
        </div>
        <Trouble error={asked.error.value} />
        <div class="buttons">
          <AskButton of={asked} class="main">
            {text.list}
          </AskButton>
          {known.length > 0 && (
            <AskButton of={asked} onClick={() => void put([...accounts, ...known])}>
              {text.listAll}
            </AskButton>
          )}
        </div>
      </form>
    </section>
  )
}

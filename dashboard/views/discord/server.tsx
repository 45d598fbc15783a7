import { useSignal } from '@preact/signals'
import type { DiscordRole, DiscordServer } from '../../../client/index.ts'
import { Fold } from '../../parts/fold.tsx'
import { AskForm, CheckList, ConfirmButton } from '../../parts/form.tsx'
import { noteStored } from '../../parts/stored-in-memory.tsx'
import type { SignedIn } from '../../session/session.ts'
import { dateTime, number } from '../../texts/texts.ts'
import { discordTexts } from './texts.ts'

interface BoundServerProps {
  readonly session: SignedIn
  readonly server: DiscordServer
  readonly onChange: () => Promise<void>
}

export function BoundServer({ session, server, onChange }: BoundServerProps) {
  const text = discordTexts.value
  const { id, boundAt, roles } = server
  const isSaved = useSignal(false)
  return (
    <Fold
      summary={
        <>
          <span class="what">
            <span>{text.server(id)}</span>
            <span class="quiet">{text.since(dateTime(boundAt))}</span>
          </span>
          <span class="tag">{text.mayDoMore(roles.length, number(roles.length))}</span>
        </>
      }
    >
      <Roles
        // Roles that were saved, here or on another page, replace the typed ones.
        key={JSON.stringify(roles)}
        session={session}
        server={server}
        onSaved={async () => {
          isSaved.value = true
          await onChange()
        }}
        onTyped={() => {
          isSaved.value = false
        }}
      />
      <p role="status" class="confirmed">
        {isSaved.value && text.saved}
      </p>
      <div class="buttons">
        <ConfirmButton
          label={text.remove}
          title={text.removeTitle}
          confirm={text.removeDo}
          ask={() => session.farm.unbindDiscordServer({ id }).then(noteStored)}
          onDone={onChange}
        >
          <p>{text.server(id)}</p>
          <p>{text.removeHint}</p>
        </ConfirmButton>
      </div>
    </Fold>
  )
}

interface RolesProps extends Pick<BoundServerProps, 'session' | 'server'> {
  readonly onSaved: () => Promise<void>
  readonly onTyped: () => void
}

const scopes = ['chat', 'control'] as const
const discordId = /^[0-9]{1,20}$/

/** What the roles of a Discord server may do in addition to reading. */
function Roles({ session, server: { id, roles }, onSaved, onTyped }: RolesProps) {
  const text = discordTexts.value
  const typed = useSignal<readonly DiscordRole[]>(roles)
  const newId = useSignal('')
  const change = (next: readonly DiscordRole[]) => {
    typed.value = next
    onTyped()
  }
  const isNew = discordId.test(newId.value) && typed.value.every((role) => role.id !== newId.value)
  const add = () => {
    if (!isNew) return
    change([...typed.value, { id: newId.value, scopes: ['chat'] }])
    newId.value = ''
  }
  const save = async () => {
    const roles = typed.value.filter((role) => role.scopes.length > 0)
    noteStored(await session.farm.setDiscordRoles({ id, roles }))
    await onSaved()
  }
  return (
    <AskForm ask={save} label={text.save} disabled={typed.value === roles}>
      <p class="quiet">{text.rolesHint}</p>
      {typed.value.map((role) => (
        <CheckList
          key={role.id}
          legend={text.role(role.id)}
          of={scopes}
          chosen={role.scopes}
          texts={(scope) => text.scopes[scope]}
          onChange={(given) =>
            change(typed.value.map((one) => (one === role ? { ...role, scopes: [...given] } : one)))
          }
        />
      ))}
      <label>
        {text.newRole}
        <span class="row">
          <input
            value={newId.value}
            inputMode="numeric"
            autocomplete="off"
            maxLength={20}
            placeholder="539082325061836999"
            onInput={({ currentTarget }) => {
              newId.value = currentTarget.value.trim()
            }}
          />
          <button type="button" disabled={!isNew} onClick={add}>
            {text.add}
          </button>
        </span>
      </label>
    </AskForm>
  )
}

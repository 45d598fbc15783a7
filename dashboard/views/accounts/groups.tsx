/** The Discord roles and OIDC groups that give scopes at sign-in. */
import { useSignal } from '@preact/signals'
import { scopes } from '../../../client/choices.ts'
import type { AccountGroup, DiscordServer } from '../../../client/index.ts'
import { AskForm, CheckList, Choice, Field } from '../../parts/form.tsx'
import { noteStored } from '../../parts/stored-in-memory.tsx'
import type { SignedIn } from '../../session/session.ts'
import { accountsTexts } from '../../texts/accounts.ts'
import { keyTexts } from '../../texts/keys.ts'

interface GroupsProps {
  readonly session: SignedIn
  readonly groups: readonly AccountGroup[]
  readonly servers: readonly DiscordServer[]
  readonly onDone: () => Promise<void>
}

export function Groups({ session, groups, servers, onDone }: GroupsProps) {
  const text = accountsTexts.value
  const typed = useSignal<readonly AccountGroup[]>(groups)
  const provider = useSignal<AccountGroup['provider']>(session.providers[0]?.id ?? 'discord')
  const id = useSignal('')
  const isNew =
    id.value.trim() !== '' &&
    typed.value.every((one) => one.provider !== provider.value || one.id !== id.value.trim())
  const save = async () => {
    const sent = typed.value.filter((one) => one.scopes.length > 0)
    noteStored(await session.farm.setAccountGroups({ groups: sent }))
    await onDone()
  }
  return (
    <AskForm class="card form" ask={save} label={text.saveGroups} disabled={typed.value === groups}>
      <h2>{text.groups}</h2>
      <p class="quiet">{text.groupsHint}</p>
      {session.providers.some((one) => one.id === 'discord') && (
        <p>{servers.length === 0 ? text.noServer : text.servers(servers.map((one) => one.id).join(', '))}</p>
      )}
      {typed.value.map((group) => (
        <CheckList
          key={`${group.provider} ${group.id}`}
          legend={text.group(group.provider, group.id)}
          of={scopes}
          chosen={group.scopes}
          texts={(scope) => keyTexts.value.scopes[scope]}
          onChange={(next) => {
            typed.value = typed.value.map((one) => (one === group ? { ...group, scopes: [...next] } : one))
          }}
        />
      ))}
      <Choice
        label={text.provider}
        among={session.providers.map((one) => one.id)}
        of={provider}
        texts={(one) => session.providers.find((known) => known.id === one)?.name ?? one}
      />
      <Field label={text.groupId} of={id} maxLength={128} />
      <button
        type="button"
        disabled={!isNew}
        onClick={() => {
          typed.value = [...typed.value, { provider: provider.value, id: id.value.trim(), scopes: ['read'] }]
          id.value = ''
        }}
      >
        {text.addGroup}
      </button>
    </AskForm>
  )
}

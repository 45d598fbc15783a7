/** Which Discord servers use the farm, and how to bind one more (docs/notifications.md). */
import { useSignal } from '@preact/signals'
import type { DiscordCode, DiscordServer } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { WithHelp } from '../../parts/help.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { Secret } from '../../parts/secret.tsx'
import { StoredInMemory } from '../../parts/stored-in-memory.tsx'
import { fleetName, type SignedIn } from '../../session/session.ts'
import { texts, time } from '../../texts/texts.ts'
import './discord.css'
import { BoundServer } from './server.tsx'
import { discordTexts } from './texts.ts'

/** Milliseconds between two checks: a bound server appears automatically. */
const lookEvery = 5_000

const newestOf = (servers: readonly DiscordServer[] = []): string =>
  servers.reduce((newest, { boundAt }) => (boundAt > newest ? boundAt : newest), '')

export function DiscordView({ session }: { readonly session: SignedIn }) {
  const text = discordTexts.value
  const bound = useLoaded((signal) => session.farm.discordServers({}, { signal }), lookEvery)
  /** With the time of the last binding when it was made. */
  const made = useSignal<(DiscordCode & { readonly after: string }) | undefined>(undefined)
  const asked = useAsked()
  const { servers, isSetUp } = bound.value.value ?? {}
  const make = () =>
    asked.run(async () => {
      const code = await session.farm.makeDiscordCode()
      made.value = { ...code, after: newestOf(bound.value.value?.servers) }
    })
  const isUsed = made.value !== undefined && newestOf(servers) > made.value.after
  return (
    <div class="view" aria-busy={bound.isBusy.value}>
      <h1>{texts.value.views.discord}</h1>
      {!bound.isBusy.value && (
        <section class="card form">
          <p class="quiet">{text.hint}</p>
          <StoredInMemory />
          <Trouble error={bound.error.value} again={() => void bound.again()} />
          {isSetUp === false && (
            <p>
              <WithHelp text={text.notSetUp} />
            </p>
          )}
          {servers?.length === 0 ? (
            <p>{text.none}</p>
          ) : (
            <ul class="discord-servers">
              {servers?.map((server) => (
                <BoundServer key={server.id} session={session} server={server} onChange={bound.again} />
              ))}
            </ul>
          )}
          <details class="opened" open={servers?.length === 0}>
            <summary>{text.how}</summary>
            <ol class="steps">
              {text.steps.map((step) => (
                <li key={step}>
                  <WithHelp text={step} />
                </li>
              ))}
            </ol>
          </details>
          <p role="status" class="confirmed">
            {isUsed && text.bound}
          </p>
          {made.value !== undefined && !isUsed && <ToType code={made.value} />}
          <Trouble error={asked.error.value} />
          <AskButton of={asked} onClick={() => void make()}>
            {text.make}
          </AskButton>
        </section>
      )}
    </div>
  )
}

function ToType({ code: { code, expiresAt } }: { readonly code: DiscordCode }) {
  const text = discordTexts.value
  // An edge with several farms needs the farm's name.
  const line = `/farm bind code:${code}${fleetName === undefined ? '' : ` farm:${fleetName}`}`
  return <Secret hint={text.toType(time(expiresAt))} secret={line} of={text.title} />
}

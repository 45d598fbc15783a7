/** The operations on the game's process: the running one with its steps, and the last ones. */

import type { HostOperation } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { useFirstOf } from '../../parts/first-of.tsx'
import { Facts, Fold } from '../../parts/fold.tsx'
import { allows, type SignedIn } from '../../session/session.ts'
import { dateTime, moment, time } from '../../texts/texts.ts'
import { serverTexts } from './texts.ts'

interface RunningProps {
  readonly session: SignedIn
  readonly operation: HostOperation
  readonly onChange: () => Promise<void>
}

/** States in which the game has not begun to stop, so that the operation can be cancelled. */
const early: readonly HostOperation['state'][] = ['waiting', 'warning', 'saving', 'backing_up']

export function RunningOperation({ session, operation, onChange }: RunningProps) {
  const text = serverTexts.value
  const asked = useAsked()
  const { id, action, state, when, stopsAt } = operation
  return (
    <section class="card form">
      <h2>{text.running[action]}</h2>
      {stopsAt !== undefined && <p>{text.stopsAt(time(stopsAt))}</p>}
      {state === 'waiting' && when !== 'now' && <p>{text.whens[when]}</p>}
      <Steps of={operation} />
      <Trouble error={asked.error.value} />
      {early.includes(state) && allows(session, 'control') && (
        <AskButton
          of={asked}
          onClick={() =>
            void asked.run(async () => {
              await session.farm.cancelHostOperation({ id })
              await onChange()
            })
          }
        >
          {text.cancel}
        </AskButton>
      )}
    </section>
  )
}

export const Steps = ({ of: { steps } }: { readonly of: HostOperation }) => (
  <ol class="operation-steps" aria-live="polite">
    {steps.map(({ state, at }, number) => (
      // One that is undone passes states twice.
      <li key={`${number}`} data-state={state}>
        <time dateTime={at}>{time(at)}</time> {serverTexts.value.steps[state]}
      </li>
    ))}
  </ol>
)

/** Why one has failed, and whether the game plays the farm from before. */
export const Failed = ({ of: { error, undone } }: { readonly of: HostOperation }) =>
  error !== undefined && (
    <div class="trouble">
      <p>{error}</p>
      {undone && <p>{serverTexts.value.undone}</p>}
    </div>
  )

/** Operations that are shown before all are asked for. */
const firstShown = 5

/** @param all those that have ended */
export function Operations({ all }: { readonly all: readonly HostOperation[] }) {
  const text = serverTexts.value
  const [shown, more] = useFirstOf(all, firstShown)
  return (
    <section class="card">
      <h2>{text.last}</h2>
      {all.length === 0 && <p>{text.none}</p>}
      <ul>
        {shown.map((one) => (
          <Operation key={one.id} operation={one} />
        ))}
      </ul>
      {more}
    </section>
  )
}

const colours = { succeeded: 'done', failed: 'failed', cancelled: 'unknown' } as const

function Operation({ operation }: { readonly operation: HostOperation }) {
  const text = serverTexts.value
  const { action, state, requestedAt, by, reason, lines = [] } = operation
  return (
    <Fold
      state={colours[state as keyof typeof colours]}
      summary={
        <>
          <span class="what">
            {text.titles[action]}
            <span class="quiet">
              {moment(requestedAt)} · <bdi>{by.name}</bdi>
            </span>
          </span>
          <span class="tag">{text.steps[state]}</span>
        </>
      }
    >
      <Failed of={operation} />
      {lines.length > 0 && <pre class="printed">{lines.map((line) => `${line.text}\n`).join('')}</pre>}
      <Facts
        of={[
          [text.asked, dateTime(requestedAt)],
          [text.by, by.name],
          [text.when, text.whens[operation.when]],
          reason === undefined ? undefined : [text.reason, reason],
        ]}
      />
      <Steps of={operation} />
    </Fold>
  )
}

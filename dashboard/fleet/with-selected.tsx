/** Actions at the selected farms: a dialog shows what will happen, and a list the outcome at each farm. */
import { type Signal, useSignal } from '@preact/signals'
import type { Fleet } from '../../client/fleet.ts'
import type { FleetActionName, FleetEntry } from '../../client/index.ts'
import { DialogButton } from '../parts/dialog.tsx'
import { useFirstOf } from '../parts/first-of.tsx'
import { AskForm, Field } from '../parts/form.tsx'
import { number, texts } from '../texts/texts.ts'
import {
  StoppingFields,
  stoppingBody,
  stoppingSteps,
  useStopping,
  WillHappen,
} from '../views/server/stopping.tsx'
import { serverTexts } from '../views/server/texts.ts'
import { Outcomes } from './outcomes.tsx'
import { fleetTexts } from './texts.ts'

const actions: readonly FleetActionName[] = ['announce', 'restart', 'backup']

export interface Begun {
  readonly id: string
  readonly action: FleetActionName
  readonly farms: number
  /** Undefined for one that this page has not begun. */
  readonly names?: readonly string[]
}

interface WithSelectedProps {
  readonly fleet: Fleet
  /** The selected ones. */
  readonly farms: readonly FleetEntry[]
  readonly clear: () => void
  /** The action whose outcomes are shown. */
  readonly begun: Signal<Begun | undefined>
}

export function WithSelected({ fleet, farms, clear, begun }: WithSelectedProps) {
  const text = fleetTexts.value
  return (
    <>
      <div class="buttons with-selected">
        <p role="status">{farms.length > 0 && text.selected(number(farms.length))}</p>
        {farms.length > 0 && (
          <>
            {actions.map((action) => (
              <DialogButton key={action} label={`${text.acts[action]}…`} title={text.acts[action]}>
                {(close) => (
                  <ActForm
                    fleet={fleet}
                    action={action}
                    farms={farms}
                    onBegun={(next) => {
                      begun.value = next
                      close()
                    }}
                  />
                )}
              </DialogButton>
            ))}
            <button type="button" class="bare" onClick={clear}>
              {text.clear}
            </button>
          </>
        )}
      </div>
      {begun.value !== undefined && (
        <section class="card form" aria-labelledby="begun">
          <h2 id="begun">{text.acts[begun.value.action]}</h2>
          <Outcomes key={begun.value.id} fleet={fleet} {...begun.value} />
          <button
            type="button"
            onClick={() => {
              begun.value = undefined
            }}
          >
            {texts.value.close}
          </button>
        </section>
      )}
    </>
  )
}

interface ActFormProps {
  readonly fleet: Fleet
  readonly action: FleetActionName
  readonly farms: readonly FleetEntry[]
  readonly onBegun: (begun: Begun) => void
}

function ActForm({ fleet, action, farms, onBegun }: ActFormProps) {
  const text = fleetTexts.value
  const message = useSignal('')
  const stopping = useStopping()
  const online = farms.reduce((sum, { players = 0 }) => sum + players, 0)
  const names = farms.map(({ farm }) => farm)
  const [named, more] = useFirstOf(names, 50)
  const steps =
    action === 'restart'
      ? [...stoppingSteps(stopping, online), serverTexts.value.will.start]
      : [text.will[action]]
  const begin = async () => {
    const sent = {
      announce: { message: message.value.trim() },
      restart: stoppingBody(stopping),
      backup: {},
    }[action]
    const { id } = await fleet.beginAction({ action, farms: names, arguments: sent })
    onBegun({ id, action, farms: names.length, names })
  }
  return (
    <AskForm
      ask={begin}
      label={text.doIt[action](names.length, number(names.length))}
      look={action === 'restart' ? 'danger' : 'main'}
    >
      <p>
        {text.at(names.length, number(names.length))} <bdi>{named.join(', ')}</bdi>
      </p>
      {more}
      {action === 'announce' && <Field label={text.message} of={message} required maxLength={450} />}
      {action === 'restart' && <StoppingFields of={stopping} />}
      <WillHappen steps={steps} />
    </AskForm>
  )
}

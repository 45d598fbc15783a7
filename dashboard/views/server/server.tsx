/** The game's process: its state, what starts and stops it, its log and its console. */
import { useSignal } from '@preact/signals'
import type { GameHost, HostOperation } from '../../../client/index.ts'
import { Note, Trouble } from '../../parts/asked.tsx'
import { DialogButton } from '../../parts/dialog.tsx'
import { Facts } from '../../parts/fold.tsx'
import { AskForm, Field } from '../../parts/form.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { dateTime, moment, number, texts } from '../../texts/texts.ts'
import { Console } from './console.tsx'
import { Log } from './log.tsx'
import { Operations, RunningOperation } from './operations.tsx'
import { Resources } from './resources.tsx'
import { StoppingFields, stoppingBody, stoppingSteps, useStopping, WillHappen } from './stopping.tsx'
import { serverTexts } from './texts.ts'
import './server.css'

/** Milliseconds between two looks, and while an operation runs. */
const [lookEvery, followEvery] = [10_000, 1000]

interface Look {
  readonly host: GameHost
  readonly operations: readonly HostOperation[]
}

export function ServerView({ session }: { readonly session: SignedIn }) {
  const { farm } = session
  const text = serverTexts.value
  // Both before anything is shown, so that nothing moves when the operations come.
  const loaded = useLoaded<Look>(
    async (signal, last) => {
      const host = await farm.host({}, { signal })
      // While an operation runs, the ended ones stay the same.
      const isSame = last?.host.operation != null && last.host.operation.id === host.operation?.id
      const { operations } = isSame ? last : await farm.hostOperations({}, { signal })
      return { host, operations }
    },
    (last) => (last?.host.operation ? followEvery : lookEvery),
  )
  const { host: now, operations = [] } = loaded.value.value ?? {}
  const running = now?.operation ?? undefined
  const isAdmin = allows(session, 'admin')
  return (
    <div class="view" aria-busy={loaded.isBusy.value}>
      <h1>{texts.value.views.server}</h1>
      <Trouble error={loaded.error.value} again={() => void loaded.again()} />
      {now !== undefined && (
        <div class="column columns">
          <div class="column">
            <State session={session} now={now} onChange={loaded.again} />
            {running !== undefined && (
              <RunningOperation session={session} operation={running} onChange={loaded.again} />
            )}
            <Operations all={operations.filter(({ id }) => id !== running?.id)} />
          </div>
          {isAdmin && (
            <div class="column">
              {now.can.log ? <Log farm={farm} /> : <p class="card quiet">{text.noLog}</p>}
              {now.can.console && <Console session={session} />}
            </div>
          )}
        </div>
      )}
      {now !== undefined && <Resources session={session} />}
    </div>
  )
}

interface StateProps {
  readonly session: SignedIn
  readonly now: GameHost
  readonly onChange: () => Promise<void>
}

function State({ session, now, onChange }: StateProps) {
  const text = serverTexts.value
  const { state, since, exitCode, restartsToday, driver, watchdog } = now
  const isUp = state === 'running' || state === 'starting' || state === 'stopping'
  return (
    <section class="card form">
      <p class="process" data-state={state} role="status">
        <strong>{text.states[state]}</strong>{' '}
        {since !== undefined && <span class="quiet">{text.since(moment(since))}</span>}
      </p>
      {state === 'crashed' && <p>{text.crashedCure}</p>}
      {state === 'unknown' && <p>{text.unknownCure}</p>}
      {watchdog.gaveUpAt !== undefined && (
        <Note what={text.gaveUp(dateTime(watchdog.gaveUpAt))} cure={text.gaveUpCure} />
      )}
      <Facts
        of={[
          exitCode === undefined ? undefined : [text.exitCode, String(exitCode)],
          [text.restarts, number(restartsToday)],
          [
            text.watchdog,
            watchdog.mode === 'restart'
              ? `${text.modes.restart} · ${text.thisHour(watchdog.restartsThisHour, number(watchdog.restartsThisHour))}`
              : text.modes[watchdog.mode],
          ],
          [text.driver, text.drivers[driver]],
        ]}
      />
      {allows(session, 'control') && now.operation === null && (
        <div class="buttons">
          {isUp || state === 'unknown' ? (
            <>
              <Act session={session} action="restart" onChange={onChange} />
              <Act session={session} action="stop" onChange={onChange} />
            </>
          ) : (
            <Act session={session} action="start" onChange={onChange} />
          )}
        </div>
      )}
    </section>
  )
}

/** The operations that change nothing of what the game loads. */
type Action = Exclude<HostOperation['action'], 'load_save' | 'new_farm'>

interface ActProps {
  readonly session: SignedIn
  readonly action: Action
  readonly onChange: () => Promise<void>
}

/** A button that opens a dialog, which shows what will happen and when, and begins it. */
export function Act({ session, action, onChange }: ActProps) {
  const { actions, titles } = serverTexts.value
  return (
    <DialogButton label={`${actions[action]}…`} title={titles[action]} look={lookOf(action)}>
      {(close) => <ActForm session={session} action={action} onChange={() => onChange().then(close)} />}
    </DialogButton>
  )
}

const lookOf = (action: Action) => (action === 'stop' ? 'danger' : 'main')

function ActForm({ session, action, onChange }: ActProps) {
  const text = serverTexts.value
  const { farm, live } = session
  const stopping = useStopping()
  const reason = useSignal('')
  const stops = action !== 'start'
  const online = live.players.value?.players.length ?? 0
  const steps = [
    ...(stops ? stoppingSteps(stopping, online) : []),
    ...(action === 'stop' ? [] : [text.will.start]),
  ]
  const begin = async () => {
    const why = reason.value.trim()
    await farm[`${action}Game`]({ ...(stops && stoppingBody(stopping)), ...(why !== '' && { reason: why }) })
    await onChange()
  }
  return (
    <AskForm ask={begin} label={text.actions[action]} look={lookOf(action)}>
      {stops && <StoppingFields of={stopping} />}
      <WillHappen steps={steps} />
      <Field label={text.reason} of={reason} maxLength={200} aria-describedby="reason-hint" />
      <p id="reason-hint" class="quiet">
        {text.reasonHint}
      </p>
    </AskForm>
  )
}

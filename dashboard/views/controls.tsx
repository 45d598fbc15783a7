/** What can be set on the farm: each says before what it will do, and after what the server confirmed. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Screenshot } from '../../client/index.ts'
import { useAsked } from '../parts/asked.ts'
import { Trouble } from '../parts/trouble.tsx'
import { allows, type SignedIn } from '../session.ts'
import { gameClock, number, words } from '../words/words.ts'

export function ControlsView({ session }: { readonly session: SignedIn }) {
  return (
    <div class="view">
      <h1>{words.value.views.controls}</h1>
      <SetTime session={session} />
      <SetSpeed session={session} />
      <SetRendering session={session} />
      {allows(session, 'read') && <Picture session={session} />}
    </div>
  )
}

interface ControlProps {
  readonly title: string
  readonly hint: string
  readonly label: string
  readonly children: ComponentChildren
  /** @returns what the server confirmed, in words */
  readonly change: () => Promise<string>
}

function Control({ title, hint, label, children, change }: ControlProps) {
  const asked = useAsked()
  const confirmed = useSignal<string | undefined>(undefined)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    confirmed.value = undefined
    void asked.run(async () => {
      confirmed.value = await change()
    })
  }
  return (
    <form class="card form" onSubmit={submit}>
      <h2>{title}</h2>
      <p class="quiet">{hint}</p>
      <div class="row">
        {children}
        <button type="submit" class="main" aria-disabled={asked.isBusy.value}>
          {asked.isBusy.value ? words.value.controls.busy : label}
        </button>
      </div>
      {asked.error.value !== undefined && <Trouble error={asked.error.value} />}
      <p role="status" class="confirmed">
        {confirmed.value}
      </p>
    </form>
  )
}

/** Every half hour from 6 AM to 2 AM. */
const times = Array.from({ length: 41 }, (_, at) => 600 + Math.floor(at / 2) * 100 + (at % 2) * 30)

function SetTime({ session }: { readonly session: SignedIn }) {
  const { controls: text } = words.value
  const chosen = useSignal(1200)
  return (
    <Control
      title={text.time}
      hint={text.timeHint}
      label={text.set}
      change={async () =>
        text.timeIs(gameClock((await session.farm.setTime({ value: chosen.value })).timeOfDay))
      }
    >
      <select
        aria-label={text.time}
        value={chosen.value}
        onChange={({ currentTarget }) => {
          chosen.value = Number(currentTarget.value)
        }}
      >
        {times.map((time) => (
          <option key={time} value={time}>
            {time === 2600 ? text.endOfDay(gameClock(time)) : gameClock(time)}
          </option>
        ))}
      </select>
    </Control>
  )
}

const speeds = [0.5, 1, 2, 4]

function SetSpeed({ session }: { readonly session: SignedIn }) {
  const { controls: text } = words.value
  const chosen = useSignal(1)
  return (
    <Control
      title={text.speed}
      hint={text.speedHint}
      label={text.set}
      change={async () =>
        text.speedIs(number((await session.farm.setClockSpeed({ multiplier: chosen.value })).multiplier))
      }
    >
      <select
        aria-label={text.speed}
        value={chosen.value}
        onChange={({ currentTarget }) => {
          chosen.value = Number(currentTarget.value)
        }}
      >
        {speeds.map((speed) => (
          <option key={speed} value={speed}>
            {text.times(number(speed))}
          </option>
        ))}
      </select>
    </Control>
  )
}

const rates = [0, 5, 15, 30, 60]

function SetRendering({ session }: { readonly session: SignedIn }) {
  const { controls: text } = words.value
  const chosen = useSignal(0)
  return (
    <Control
      title={text.rendering}
      hint={text.renderingHint}
      label={text.set}
      change={async () => {
        const { fps } = await session.farm.setRendering({ fps: chosen.value })
        return fps === 0 ? text.renderingOff : text.renderingIs(number(fps))
      }}
    >
      <select
        aria-label={text.rendering}
        value={chosen.value}
        onChange={({ currentTarget }) => {
          chosen.value = Number(currentTarget.value)
        }}
      >
        {rates.map((fps) => (
          <option key={fps} value={fps}>
            {fps === 0 ? text.off : text.fps(number(fps))}
          </option>
        ))}
      </select>
    </Control>
  )
}

function Picture({ session }: { readonly session: SignedIn }) {
  const { controls: text } = words.value
  const taken = useSignal<Screenshot | undefined>(undefined)
  return (
    <div class="picture">
      <Control
        title={text.picture}
        hint={text.pictureHint}
        label={text.take}
        change={async () => {
          taken.value = await session.farm.screenshot()
          return taken.value.success ? '' : text.noPicture(taken.value.error ?? '')
        }}
      >
        {undefined}
      </Control>
      {taken.value?.base64Png !== undefined && (
        <img
          src={`data:image/png;base64,${taken.value.base64Png}`}
          alt={text.pictureOf}
          width={taken.value.width}
          height={taken.value.height}
        />
      )}
    </div>
  )
}

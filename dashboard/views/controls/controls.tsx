/** The controls of the farm, beginning with their present values. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Screenshot } from '../../../client/index.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { gameClock, number, texts } from '../../texts/texts.ts'
import { Choice, Control } from './control.tsx'
import { controlsTexts } from './texts.ts'

interface Props {
  readonly session: SignedIn
}

export function ControlsView({ session }: Props) {
  return (
    <div class="view">
      <h1>{texts.value.views.controls}</h1>
      <SetTime session={session} />
      <SetSpeed session={session} />
      <SetRendering session={session} />
      {allows(session, 'read') && <Picture session={session} />}
    </div>
  )
}

/** Every half hour from 6 AM to 2 AM, when the day ends. */
const times = Array.from({ length: 41 }, (_, at) => 600 + Math.floor(at / 2) * 100 + (at % 2) * 30)
const dayEnds = 2600

function SetTime({ session }: Props) {
  const text = controlsTexts.value
  const chosen = useSignal<number | undefined>(undefined)
  const { status } = session.live
  const now = status.value?.season === '' ? undefined : status.value?.timeOfDay
  const shownNow = now === undefined ? '–' : gameClock(now)
  const hint =
    chosen.value === undefined
      ? text.timeNow(shownNow)
      : chosen.value === dayEnds
        ? text.timeEnds(shownNow)
        : text.timeWill(shownNow, gameClock(chosen.value))
  return (
    <Control
      title={text.time}
      hint={hint}
      label={text.set}
      change={async () => {
        const { timeOfDay } = await session.farm.setTime({ value: chosen.value ?? now ?? 0 })
        chosen.value = undefined
        return text.timeIs(gameClock(timeOfDay))
      }}
    >
      <Choice
        label={text.time}
        chosen={chosen}
        now={now}
        of={times}
        name={(time) => (time === dayEnds ? text.endOfDay(gameClock(time)) : gameClock(time))}
      />
    </Control>
  )
}

const speeds = [0.5, 1, 2, 4]

function SetSpeed({ session }: Props) {
  const text = controlsTexts.value
  // No endpoint answers the present speed, so no value is chosen at first.
  const chosen = useSignal<number | undefined>(undefined)
  return (
    <Control
      title={text.speed}
      hint={chosen.value === undefined ? text.speedHint : text.speedWill(number(chosen.value))}
      label={text.set}
      change={async () => {
        const { multiplier } = await session.farm.setClockSpeed({ multiplier: chosen.value ?? 1 })
        return text.speedIs(number(multiplier))
      }}
    >
      <Choice label={text.speed} chosen={chosen} of={speeds} name={(speed) => text.times(number(speed))} />
    </Control>
  )
}

const rates = [0, 5, 15, 30, 60]

function SetRendering({ session }: Props) {
  const text = controlsTexts.value
  const chosen = useSignal<number | undefined>(undefined)
  const now = useSignal<number | undefined>(undefined)
  useEffect(() => {
    if (!allows(session, 'read')) return
    const ended = new AbortController()
    session.farm.rendering({}, { signal: ended.signal }).then(
      ({ fps }) => {
        now.value = fps
      },
      () => {
        // The present rate is then unknown, as with a key that may not read it.
      },
    )
    return () => ended.abort()
  }, [])
  const hint =
    chosen.value === undefined
      ? text.renderingHint
      : chosen.value === 0
        ? text.renderingWillStop
        : text.renderingWill(number(chosen.value))
  const isNow = (fps: number) => (fps === 0 ? text.renderingOff : text.renderingIs(number(fps)))
  return (
    <Control
      title={text.rendering}
      hint={now.value === undefined ? hint : texts.value.sentences(isNow(now.value), hint)}
      label={text.set}
      change={async () => {
        const { fps } = await session.farm.setRendering({ fps: chosen.value ?? now.value ?? 0 })
        now.value = fps
        chosen.value = undefined
        return isNow(fps)
      }}
    >
      <Choice
        label={text.rendering}
        chosen={chosen}
        now={now.value}
        of={rates}
        name={(fps) => (fps === 0 ? text.off : text.fps(number(fps)))}
      />
    </Control>
  )
}

function Picture({ session }: Props) {
  const text = controlsTexts.value
  const taken = useSignal<Screenshot | undefined>(undefined)
  return (
    <div class="stack picture">
      <Control
        title={text.picture}
        hint={text.pictureHint}
        label={text.take}
        change={async () => {
          taken.value = await session.farm.screenshot()
          return taken.value.success ? '' : text.noPicture(taken.value.error ?? '')
        }}
      />
      {taken.value?.base64Png !== undefined && (
        <img
          src={`data:image/png;base64,${taken.value.base64Png}`}
          alt={text.pictureOf}
          width={taken.value.width}
          height={taken.value.height}
          onLoad={({ currentTarget }) => currentTarget.scrollIntoView({ block: 'nearest' })}
        />
      )}
    </div>
  )
}

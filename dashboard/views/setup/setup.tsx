/** The set-up in the browser: Steam, download, farm, invite code. */
import './setup.css'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FarmgateError } from '../../../client/index.ts'
import { asFailure, Trouble, useAsked } from '../../parts/asked.tsx'
import { LanguageSwitch } from '../../parts/language-switch.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { setSetup } from '../../session/person.ts'
import { session, signIn } from '../../session/session.ts'
import {
  beginDownload,
  beginSignIn,
  firstKey,
  type SetupView,
  setupState,
} from '../../session/setup-calls.ts'
import { bytes, duration, number, time } from '../../texts/texts.ts'
import { FarmSteps } from './farm-steps.tsx'
import { setupTexts } from './texts.ts'

/** Milliseconds between two looks. */
const lookEvery = 1500
/** Problems that end the code. */
const final = ['unauthorized', 'other_browser', 'not_found', 'unsupported']

interface SetupProps {
  readonly code: string
}

export function SetupPage({ code }: SetupProps) {
  const text = setupTexts.value
  return (
    <main class="public setup">
      <h1>{text.title}</h1>
      {code === 'done' ? <FarmSteps /> : <SteamSteps code={code} />}
      <LanguageSwitch />
    </main>
  )
}

function SteamSteps({ code }: SetupProps) {
  const text = setupTexts.value
  const view = useSignal<SetupView | undefined>(undefined)
  const error = useSignal<FarmgateError | undefined>(undefined)
  const asked = useAsked()

  useEffect(() => {
    const ended = new AbortController()
    const pause = () => new Promise((resolve) => setTimeout(resolve, lookEvery))
    const look = async () => {
      try {
        const seen = await setupState(code)
        if (view.value === undefined) {
          await takeKey(code)
          if (seen.state === 'sign_in') await beginSignIn(code)
        }
        view.value = seen
        error.value = undefined
      } catch (reason) {
        error.value = asFailure(reason)
      }
      // After the last answer `installed` comes 404, also where that answer was lost.
      const isOver = error.value?.code === 'not_found' && view.value !== undefined
      if (!ended.signal.aborted && (isOver || view.value?.state === 'installed')) setSetup('done')
    }
    const run = async () => {
      while (!ended.signal.aborted && !final.includes(error.value?.code ?? '')) {
        // A stored key, or a farm without one, may sign this browser in.
        if (!document.hidden && session.value.phase !== 'starting') await look()
        await pause()
      }
    }
    void run()
    return () => ended.abort()
  }, [])

  const ask = (call: (code: string) => Promise<unknown>) => () =>
    void asked.run(async () => {
      await call(code)
      view.value = await setupState(code)
    })
  const problem = error.value
  if (problem !== undefined && final.includes(problem.code)) return <Over problem={problem.code} />
  const seen = view.value
  return (
    <section class="card" aria-busy={seen === undefined}>
      <h2>{seen?.state === 'downloading' ? text.download : text.steam}</h2>
      {problem !== undefined && (
        <div class="trouble" role="alert">
          <p>{problem.code === 'ticket_service_unavailable' ? text.noTicket : text.noAnswer}</p>
        </div>
      )}
      {seen !== undefined && <State view={seen} mustWait={asked.mustWait.value} ask={ask} />}
      <Trouble error={asked.error.value} />
    </section>
  )
}

/** Signs this browser in with the first key of the farm. A farm that has keys asks for one of them later. */
async function takeKey(code: string): Promise<void> {
  if (session.value.phase === 'signed-in') return
  const key = await firstKey(code).catch((reason: unknown) => {
    if (asFailure(reason).code === 'keys_exist') return undefined
    throw reason
  })
  // There is no second one: it is kept on the device.
  if (key !== undefined) await signIn(key, true)
}

function Over({ problem }: { readonly problem: string }) {
  const text = setupTexts.value
  const [what, cure] = text.over[problem as keyof typeof text.over] ?? text.over.unauthorized
  return (
    <section class="card form">
      <div class="trouble" role="alert">
        <p>
          <strong>{what}</strong> {cure}
        </p>
      </div>
      <button type="button" onClick={() => setSetup(undefined)}>
        {text.toFarm}
      </button>
    </section>
  )
}

interface StateProps {
  readonly view: SetupView
  readonly mustWait: boolean
  readonly ask: (call: (code: string) => Promise<unknown>) => () => void
}

/** Failures after which the download is tried again, and not the sign-in. */
const ofDownload = ['disk_full', 'download_failed']

function State({ view, mustWait, ask }: StateProps) {
  const text = setupTexts.value
  const { state, account, qr, download, error, code = '' } = view
  const button = (label: string, call: (code: string) => Promise<unknown>) => (
    <button type="button" class="main" aria-disabled={mustWait} onClick={ask(call)}>
      {label}
    </button>
  )
  const approved = account !== undefined && <p>{text.approved(account)}</p>
  switch (state) {
    case 'sign_in':
      return (
        <>
          <p>{text.scanHint}</p>
          {button(text.showCode, beginSignIn)}
        </>
      )
    case 'waiting':
      if (qr === undefined) return <p role="status">{text.asking}</p>
      return (
        <>
          <p>{text.scanHint}</p>
          <QrCode text={qr.url} />
          <p>
            <a href={qr.url}>{text.onPhone}</a>
          </p>
          <p class="quiet">{text.until(time(Date.parse(qr.expiresAt)))}</p>
        </>
      )
    case 'no_licence':
      return (
        <>
          {approved}
          <div class="trouble" role="alert">
            <p>
              <strong>{text.noLicence}</strong> {text.noLicenceCure}
            </p>
          </div>
          {button(text.otherAccount, beginSignIn)}
          <button type="button" aria-disabled={mustWait} onClick={ask(beginDownload)}>
            {text.lookAgain}
          </button>
        </>
      )
    case 'failed': {
      const [what, cure] = Object.hasOwn(text.failures, code)
        ? text.failures[code as keyof typeof text.failures]
        : [error ?? code, '']
      const isDownload = account !== undefined || ofDownload.includes(code)
      return (
        <>
          {approved}
          <div class="trouble" role="alert">
            <p>
              <strong>{what}</strong> {cure}
            </p>
            {error !== undefined && <p class="quiet">{error}</p>}
          </div>
          {isDownload ? button(text.tryAgain, beginDownload) : button(text.showCode, beginSignIn)}
        </>
      )
    }
    default:
      return (
        <>
          {approved}
          {download === undefined ? (
            <p role="status">{text.beginning}</p>
          ) : (
            <>
              <progress max={download.totalBytes} value={download.bytes} aria-label={text.download} />
              <p>{text.amount(bytes(download.bytes), bytes(download.totalBytes))}</p>
              <p>
                {text.rate(bytes(download.bytesPerSecond))}
                {download.secondsLeft !== null && <> · {text.left(leftOf(download.secondsLeft))}</>}
              </p>
            </>
          )}
          <p class="quiet">{text.mayLeave}</p>
        </>
      )
  }
}

const leftOf = (seconds: number) =>
  seconds < 60 ? setupTexts.value.seconds(number(seconds)) : duration(seconds * 1000)

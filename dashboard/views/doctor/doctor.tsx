/** The problems of the farm, and their fixes. */
import './doctor.css'
import { type Finding, findings } from '../../../client/findings.ts'
import { Trouble } from '../../parts/asked.tsx'
import { DownloadButton } from '../../parts/download-button.tsx'
import { WithHelp } from '../../parts/help.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import { addressOf, type ViewName } from '../../parts/route.ts'
import { isLost } from '../../session/connection.ts'
import { allows, type SignedIn } from '../../session/session.ts'
import { duration, number, texts, time } from '../../texts/texts.ts'
import { type Diagnosis, diagnose, type Part } from './diagnosis.ts'
import { joinSentence } from './join-sentence.ts'
import { Joining } from './joining.tsx'
import { doctorTexts } from './texts.ts'

/** Milliseconds. */
const lookEvery = 30_000

export function DoctorView({ session }: { readonly session: SignedIn }) {
  const text = doctorTexts.value
  const seen = useLoaded((signal) => diagnose(session, signal), lookEvery)
  const diagnosis = seen.value.value
  return (
    <div class="view" aria-busy={seen.isBusy.value}>
      <h1>{texts.value.views.doctor}</h1>
      <p class="quiet">
        <WithHelp text={text.hint} />
      </p>
      <Trouble error={seen.error.value} again={() => void seen.again()} />
      {allows(session, 'admin') && (
        <div class="buttons">
          <DownloadButton session={session} label={text.bundle} path="/support" query={{}} />
          <span class="quiet">{text.bundleHint}</span>
        </div>
      )}
      {diagnosis?.join !== undefined && <Joining report={diagnosis.join} />}
      {diagnosis !== undefined && <Shown diagnosis={diagnosis} onAgain={() => void seen.again()} />}
    </div>
  )
}

function Shown({ diagnosis, onAgain }: { readonly diagnosis: Diagnosis; readonly onAgain: () => void }) {
  const text = doctorTexts.value
  const { troubles, at } = diagnosis
  return (
    <>
      <header class="diagnosis" data-well={troubles === 0}>
        <p role="status">
          <strong>
            {troubles === 0
              ? text.allWell
              : troubles === 1
                ? text.oneTrouble
                : text.troubles(number(troubles))}
          </strong>{' '}
          <span class="quiet">{text.lookedAt(time(at))}</span>
        </p>
        <button type="button" aria-disabled={isLost.value} onClick={() => !isLost.value && onAgain()}>
          {text.lookAgain}
        </button>
      </header>
      <ul class="card findings">
        {diagnosis.findings.map((finding) => (
          <One key={finding.found} part={finding.part} finding={finding} />
        ))}
        {diagnosis.findings.every(({ part }) => part !== 'ticket') && (
          <li data-state="unknown">
            <Icon name="more" />
            <h2>{text.checks.ticket}</h2>
            <p>{text.notReported}</p>
            <p class="quiet">{text.ticketNotReported}</p>
          </li>
        )}
      </ul>
    </>
  )
}

/** The views that show more of a part. */
const viewsOf: Partial<Readonly<Record<Part, ViewName>>> = {
  game: 'history',
  backups: 'backups',
  copies: 'backups',
  webhooks: 'webhooks',
  discord: 'discord',
}

function One({ part, finding }: { readonly part: Part; readonly finding: Finding }) {
  const text = doctorTexts.value
  const { found, value = 0, of = 0, version } = finding
  const state = findings[found]
  const view = viewsOf[part]
  const isAge = found === 'backups_recent' || found === 'backups_old'
  const age = value === 0 ? text.underAnHour : duration(value * 3_600_000)
  const [said, fix] =
    finding.cause === undefined
      ? text.found[found](version ?? (isAge ? age : number(value)), number(of))
      : [joinSentence(finding.cause.message), joinSentence(finding.cause.next)]
  return (
    <li data-state={state}>
      <Icon name={state === 'ok' ? 'check' : 'doubt'} />
      <h2>
        {text.checks[part]} <span class="unseen">{text.states[state]}</span>
      </h2>
      <p>{said}</p>
      {fix !== undefined && <p class="fix">{fix}</p>}
      {view !== undefined && <a href={addressOf(view)}>{texts.value.views[view]}</a>}
    </li>
  )
}

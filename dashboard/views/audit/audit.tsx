/** Every change that was requested: who, what, when, from where, and how it ended. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AuditEntry } from '../../../client/index.ts'
import { AskButton, Trouble, useAsked } from '../../parts/asked.tsx'
import { DownloadButton } from '../../parts/download-button.tsx'
import { useLoaded } from '../../parts/loaded.ts'
import type { SignedIn } from '../../session/session.ts'
import { day, texts } from '../../texts/texts.ts'
import { AuditRow } from './audit-row.tsx'
import { Filters } from './filters.tsx'
import { auditTexts } from './texts.ts'
import './audit.css'

interface FilteredProps {
  readonly session: SignedIn
  /** Undefined for all. */
  readonly filter: { readonly action: string | undefined; readonly key: string | undefined }
}

/** Every entry that passes the filter, also those that are not shown yet, as a file. */
function ExportAudit({ session, filter }: FilteredProps) {
  const text = auditTexts.value
  return (
    <div class="export">
      <DownloadButton session={session} label={text.download} path="/audit/export" query={filter} />
      <p class="quiet">{text.downloadHint}</p>
    </div>
  )
}

/** Rows of one page. */
const pageSize = 50
/** Milliseconds until newer rows are read. */
const lookEvery = 10_000

export function AuditView({ session }: { readonly session: SignedIn }) {
  const action = useSignal('')
  const key = useSignal('')
  const filter = { action: action.value || undefined, key: key.value || undefined }
  return (
    <div class="view">
      <h1>{texts.value.views.audit}</h1>
      <Filters session={session} action={action} of={key} />
      <ExportAudit session={session} filter={filter} />
      <Entries key={`${action} ${key}`} session={session} filter={filter} />
    </div>
  )
}

function Entries({ session, filter }: FilteredProps) {
  const text = auditTexts.value
  const ask = { limit: pageSize, ...filter }
  const first = useLoaded((signal) => session.farm.audit(ask, { signal }))
  const older = useSignal<readonly AuditEntry[]>([])
  const before = useSignal<string | undefined>(undefined)
  const hasNewer = useSignal(false)
  const asked = useAsked()
  const page = first.value.value
  const newest = page?.entries[0]?.id
  useEffect(() => {
    before.value = page?.next
    older.value = []
    hasNewer.value = false
  }, [page])
  useEffect(() => {
    if (page === undefined) return
    const ended = new AbortController()
    const timer = setInterval(async () => {
      if (document.hidden) return
      try {
        const { entries } = await session.farm.audit({ ...ask, limit: 1 }, { signal: ended.signal })
        hasNewer.value = entries[0]?.id !== newest
      } catch {
        // Another part of the page shows that the farm does not answer.
      }
    }, lookEvery)
    return () => {
      ended.abort()
      clearInterval(timer)
    }
  }, [newest])
  const showOlder = () =>
    asked.run(async () => {
      const next = await session.farm.audit({ ...ask, before: before.value })
      older.value = [...older.value, ...next.entries]
      before.value = next.next
    })
  const entries = [...(page?.entries ?? []), ...older.value]
  return (
    <section class="card audit" aria-busy={first.isBusy.value}>
      <Trouble error={first.error.value} again={() => void first.again()} />
      <p role="status" class="newer">
        {hasNewer.value && (
          <button type="button" class="main" onClick={() => void first.again()}>
            {text.showNewer}
          </button>
        )}
      </p>
      {page !== undefined && entries.length === 0 && <p class="quiet">{text.none}</p>}
      <ol>
        {entries.map((entry, at) => (
          <AuditRow
            key={entry.id}
            ownKey={session.own.id}
            entry={entry}
            newDay={dayUnless(entry.at, entries[at - 1]?.at)}
          />
        ))}
      </ol>
      <Trouble error={asked.error.value} />
      {before.value !== undefined && (
        <AskButton of={asked} onClick={() => void showOlder()}>
          {text.older}
        </AskButton>
      )}
    </section>
  )
}

/** The day of a row, unless the row above is of the same day. */
function dayUnless(at: string, above: string | undefined): string | undefined {
  const name = day(Date.parse(at))
  return above !== undefined && day(Date.parse(above)) === name ? undefined : name
}

import { FarmgateError } from '../../../client/index.ts'
import { useAsked } from '../../parts/asked.ts'
import { Icon } from '../../parts/icon.tsx'
import { offerFile } from '../../parts/offer-file.ts'
import { Trouble } from '../../parts/trouble.tsx'
import type { SignedIn } from '../../session/session.ts'
import type { Filter } from './filters.tsx'
import { auditTexts } from './texts.ts'

export interface ExportProps {
  readonly session: SignedIn
  readonly filter: Filter
}

/** Every entry that passes the filter, also those that are not shown yet, as a file. */
export function ExportAudit({ session, filter: { action, key } }: ExportProps) {
  const text = auditTexts.value
  const asked = useAsked()
  const download = () =>
    asked.run(async (signal) => {
      const query = { action: action || undefined, key: key || undefined }
      const lines = await session.farm.exportAudit(query, { signal })
      const file = await new Response(lines).blob().catch((error: unknown) => {
        throw new FarmgateError('unreachable', String(error))
      })
      offerFile(file, `audit-${new Date().toISOString().slice(0, 10)}.jsonl`)
    })
  return (
    <div class="export">
      <button
        type="button"
        class="with-icon"
        aria-disabled={asked.mustWait.value}
        onClick={() => void download()}
      >
        <Icon name="backups" />
        {asked.isBusy.value ? text.downloading : text.download}
      </button>
      <p class="quiet">{text.downloadHint}</p>
      <Trouble error={asked.error.value} again={() => void download()} />
    </div>
  )
}

import type { Backup } from '../../../client/index.ts'
import { Note } from '../../parts/note.tsx'
import { number } from '../../texts/texts.ts'
import { backupTexts } from './texts.ts'

/** How many backups have an off-site copy. */
export function OffsiteCopies({ backups }: { readonly backups: readonly Backup[] }) {
  const text = backupTexts.value
  const countOf = (state: Backup['offsite']) => backups.filter(({ offsite }) => offsite === state).length
  const [done, pending, failed] = [countOf('done'), countOf('pending'), countOf('failed')]
  const isNowhere = done + pending + failed === 0
  return (
    <section class="card">
      <h2>{text.offsite}</h2>
      <p class="quiet">
        {isNowhere
          ? text.onlyHere
          : [text.copies(done, number(done)), pending > 0 && text.copiesWait(number(pending))]
              .filter((part) => part !== false)
              .join(' · ')}
      </p>
      {failed > 0 && <Note what={text.copiesFailed(failed, number(failed))} cure={text.copiesFailedCure} />}
    </section>
  )
}

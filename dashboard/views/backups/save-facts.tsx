import type { Save } from '../../../client/index.ts'
import { Facts } from '../../parts/fold.tsx'
import { bytes, dateTime } from '../../texts/texts.ts'
import { backupTexts } from './texts.ts'

export function SaveFacts({ save }: { readonly save: Save }) {
  const text = backupTexts.value
  return (
    <Facts
      of={[
        [text.folder, save.name],
        [text.people, save.people.join(', ')],
        [text.size, bytes(save.bytes)],
        [text.savedAt, dateTime(save.savedAt)],
        save.mods === undefined || save.mods.length === 0 ? undefined : [text.mods, save.mods.join(', ')],
      ]}
    />
  )
}

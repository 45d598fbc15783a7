/** Installs zips that are dropped or chosen, one after the other, and shows what became of each mod. */
import { useSignal } from '@preact/signals'
import type { FarmgateError, InstalledMods } from '../../../client/index.ts'
import { useAsked } from '../../parts/asked.ts'
import { Trouble } from '../../parts/trouble.tsx'
import './mods.css'
import { modsTexts } from './texts.ts'
import { uploadMods } from './upload.ts'

interface Result {
  readonly file: string
  readonly done?: InstalledMods
  readonly error?: FarmgateError | undefined
}

export function InstallMods({ onDone }: { readonly onDone: () => Promise<void> }) {
  const text = modsTexts.value
  const results = useSignal<readonly Result[]>([])
  const current = useSignal<{ readonly file: string; readonly part: number } | undefined>(undefined)
  const asked = useAsked()
  const install = async (files: readonly File[]) => {
    results.value = []
    for (const file of files) {
      let done: InstalledMods | undefined
      await asked.run(async (signal) => {
        const onProgress = (part: number) => {
          current.value = { file: file.name, part }
        }
        onProgress(0)
        done = await uploadMods(file, onProgress, signal)
      })
      results.value = [
        ...results.value,
        { file: file.name, ...(done === undefined ? { error: asked.error.value } : { done }) },
      ]
      current.value = undefined
    }
    asked.error.value = undefined
    await onDone()
  }
  return (
    <section class="card">
      <h2>{text.install}</h2>
      <p class="quiet">{text.installHint}</p>
      <label>
        {text.choose}
        <input
          type="file"
          class="drop"
          accept=".zip,application/zip"
          multiple
          disabled={asked.mustWait.value}
          onChange={({ currentTarget }) => {
            const files = [...(currentTarget.files ?? [])]
            currentTarget.value = ''
            void install(files)
          }}
        />
      </label>
      <div role="status">
        {current.value !== undefined && (
          <p>
            <bdi>{current.value.file}</bdi>{' '}
            <progress max={1} value={current.value.part} aria-label={current.value.file} />{' '}
            {current.value.part === 1 && text.checking}
          </p>
        )}
        <ul>
          {results.value.flatMap(({ done }) => [
            ...(done?.installed ?? []).map((mod) => (
              <li key={`new ${mod.id}`}>{text.installed(mod.name, mod.version)}</li>
            )),
            ...(done?.replaced ?? []).map((mod) => (
              <li key={`old ${mod.id}`}>{text.replaced(mod.name, mod.version)}</li>
            )),
          ])}
        </ul>
      </div>
      {results.value.map(
        ({ file, error }) =>
          error !== undefined && (
            <div key={file}>
              <p>
                <bdi>{file}</bdi>
              </p>
              <Trouble error={error} />
            </div>
          ),
      )}
    </section>
  )
}

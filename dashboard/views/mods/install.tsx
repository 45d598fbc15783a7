/** Installs zips that are dropped or chosen, one after the other, and shows what became of each mod. */
import { useSignal } from '@preact/signals'
import type { FarmgateError, InstalledMods } from '../../../client/index.ts'
import { Note, Trouble, useAsked } from '../../parts/asked.tsx'
import { sentPart } from '../../parts/send-file.ts'
import type { SignedIn } from '../../session/session.ts'
import { modsTexts } from './texts.ts'
import './mods.css'

/** Without an answer and an error the file was not sent, because the connection was lost before. */
interface Result {
  readonly file: string
  readonly done: InstalledMods | undefined
  readonly error: FarmgateError | undefined
}

interface InstallProps {
  readonly session: SignedIn
  readonly onDone: () => Promise<void>
}

export function InstallMods({ session, onDone }: InstallProps) {
  const text = modsTexts.value
  const results = useSignal<readonly Result[]>([])
  const current = useSignal<string | undefined>(undefined)
  const asked = useAsked()
  const install = async (files: readonly File[]) => {
    results.value = []
    for (const file of files) {
      let done: InstalledMods | undefined
      asked.error.value = undefined
      await asked.run(async (signal) => {
        current.value = file.name
        done = await session.farm.installMods({ content: file }, { signal })
      })
      results.value = [...results.value, { file: file.name, done, error: asked.error.value }]
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
            <bdi>{current.value}</bdi> <progress max={1} value={sentPart.value} aria-label={current.value} />{' '}
            {sentPart.value === 1 && text.checking}
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
        ({ file, done, error }) =>
          done === undefined && (
            <div key={file}>
              <p>
                <bdi>{file}</bdi>
              </p>
              {error === undefined ? <Note what={text.notSent} cure="" /> : <Trouble error={error} />}
            </div>
          ),
      )}
    </section>
  )
}

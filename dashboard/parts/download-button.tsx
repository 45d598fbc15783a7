/** A download that the browser makes and stores itself, however large it is. */
import { addressOfApi, type SignedIn } from '../session/session.ts'
import { AskButton, Trouble, useAsked } from './asked.tsx'
import { Icon } from './icon.tsx'

interface DownloadButtonProps {
  readonly session: SignedIn
  readonly label: string
  /** Of the download in the API. */
  readonly path: string
  readonly query: Readonly<Record<string, string | undefined>>
}

export function DownloadButton({ session, label, path, query }: DownloadButtonProps) {
  const asked = useAsked()
  const download = () =>
    asked.run(async (signal) => {
      const given = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined)
      // A link sends neither the key nor the secret of the session.
      const { url } = await session.farm.createDownload(
        { path: `${path}?${new URLSearchParams(given)}` },
        { signal },
      )
      const link = document.createElement('a')
      link.href = addressOfApi(url)
      // Its name is in the answer. Without this, a refusal would be shown in place of the page.
      link.download = ''
      link.click()
    })
  return (
    <>
      <AskButton of={asked} class="with-icon" onClick={() => void download()}>
        <Icon name="backups" />
        {label}
      </AskButton>
      <Trouble error={asked.error.value} />
    </>
  )
}

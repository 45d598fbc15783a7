/** Links to the help, in the language of the page. */
import { helpPath } from '../../client/help-links.ts'
import { language, texts } from '../texts/texts.ts'

/** @param path as sentences have it @returns relative to the page of a farm, also at the edge */
const addressOf = (path: string): string => `.${path.replace(/(?=#)|$/, `?lang=${language.value}`)}`

/** A sentence whose help pages are links. */
export const WithHelp = ({ text }: { readonly text: string }) => (
  <>
    {text.split(helpPath).map((part) =>
      part.startsWith('/help/') ? (
        <a key={part} href={addressOf(part)}>
          {part}
        </a>
      ) : (
        part
      ),
    )}
  </>
)

export const HelpLink = () => <a href={addressOf('/help/')}>{texts.value.shell.help}</a>

import type { Status } from '../../client/index.ts'
import { isDemo } from '../session/status.ts'
import { texts } from '../texts/texts.ts'

/** Says that a farm is simulated; nothing for any other. */
export const DemoMark = ({ of }: { readonly of: Status | undefined }) =>
  isDemo(of?.serverVersion) ? <span class="tag">{texts.value.demo}</span> : null

/** The one-time addresses of downloads, for browsers: a link cannot send a key. A restart of farmgate forgets them. */
import type { KeyHolder } from './key-holder.ts'

export interface PlannedDownload {
  /** Of the download, with its query. */
  readonly path: string
  /** Who asked for the address. */
  readonly holder: KeyHolder
}

export interface Downloads {
  /** @returns the code for a download, and until when it is good, milliseconds since 1970 */
  begin(planned: PlannedDownload): { readonly code: string; readonly expiresAt: number }
  /**
   * @returns the download, once; undefined for a code that is unknown, used or too old. `giveBack` undoes it: the code
   * is good again until its end
   */
  end(code: string): { readonly value: PlannedDownload; giveBack(): void } | undefined
}

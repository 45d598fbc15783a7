import type { PlannedDownload } from '../../handlers/downloads.ts'
import { handOver } from '../../lib/hand-over.ts'

/** Milliseconds in which the address of a download must be used. */
const lasts = 60_000

export const openDownloads = (parts: Omit<Parameters<typeof handOver>[0], 'lasts'>) =>
  handOver<PlannedDownload>({ ...parts, lasts })

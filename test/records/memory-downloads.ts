import { randomBytes } from 'node:crypto'
import { openDownloads } from '../../services/downloads/open-downloads.ts'

/** The one-time addresses of one farm. */
export const memoryDownloads = () => openDownloads({ now: Date.now, randomBytes })

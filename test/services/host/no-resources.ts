/** What an empty machine uses, for tests of something else. */
import type { Resources } from '../../../handlers/resources.ts'

export const noResources: Resources = { machine: { memory: { used: 0, total: 1 }, disks: [] } }

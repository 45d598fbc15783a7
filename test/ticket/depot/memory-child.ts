import { readFileSync } from 'node:fs'
import { silent } from '../../../ticket/depot/progress.ts'
import { runDepot } from '../../../ticket/depot/thread/run.ts'

/** A depot to download in a separate process: its number, which is also its version, and its key in hex. */
interface ChildDepot {
  readonly depotId: number
  readonly key: string
}

export interface MemoryOrder {
  readonly host: string
  readonly directory: string
  readonly sdk: ChildDepot
  readonly game: ChildDepot
}

/** What the download of the game added to the maximum of resident memory, in MB. */
export interface MemoryAnswer {
  readonly added: number
  readonly changed: number
}

const { host, directory, sdk, game }: MemoryOrder = JSON.parse(process.argv[2] ?? '')
let atStart = 0
const { reports } = await runDepot('install', {
  settings: {
    appId: 413150,
    gameDir: directory,
    proxy: undefined,
    downloadConnections: 16,
    downloadWorkers: 2,
    forceRedownload: false,
    keepLanguages: [],
    downloadExclude: [],
  },
  platform: {
    async depotVersion(appId) {
      const { depotId } = appId === 413150 ? game : sdk
      // The SDK is complete, so threads and connections have their memory already.
      if (appId === 413150) atStart = maxMemory()
      return { appId, name: 'depot', depotId, manifestId: String(depotId) }
    },
    rejectIfNotOwned: async () => undefined,
    depotKey: async (appId) => Buffer.from((appId === 413150 ? game : sdk).key, 'hex'),
    manifestRequestCode: async () => '1234567890123456789',
    contentServers: async () => [{ host, vhost: host, https: 'none', load: 1 }],
    cdnToken: async () => '',
  },
  progress: silent,
  signal: new AbortController().signal,
})
const changed = Object.entries(reports.at(-1)?.json ?? {}).find(([name]) => name === 'changed')?.[1]
const answer: MemoryAnswer = { added: maxMemory() - atStart, changed: Number(changed) }
process.stdout.write(JSON.stringify(answer))

/** Maximum of resident memory, MB. Not from `getrusage`, whose maximum after a fork starts with the parent's memory. */
function maxMemory(): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))
  return Number(line?.[1] ?? Number.NaN) / 1000
}

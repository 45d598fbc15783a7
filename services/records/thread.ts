/** The thread of the records: the only one that waits for the disk. */
import { parentPort, workerData } from 'node:worker_threads'
import { bundledPort } from '../../lib/bundled-port.ts'
import { threadRpc } from '../../lib/thread-rpc.ts'
import { keepRecords } from './keeper.ts'
import { plainErrors } from './plain-errors.ts'
import type { RecordsListener, RecordsThreadCalls, ThreadStart } from './thread-calls.ts'

if (!parentPort) throw new Error('this file is a thread of serve')
const { path, days }: ThreadStart = workerData
const early: Parameters<RecordsListener['changed']>[] = []
let tell = (...change: Parameters<RecordsListener['changed']>) => void early.push(change)
const keeper = keepRecords({
  path,
  days,
  onState: (change) => tell(change),
  now: Date.now,
  monotonic: () => performance.now(),
  random: Math.random,
  soon: setImmediate,
})
const everySecond = setInterval(keeper.tick, 1000)
const listener = threadRpc<RecordsListener, RecordsThreadCalls>(
  bundledPort(parentPort),
  {
    ...keeper.calls,
    measured: async () => keeper.measured(),
    async close() {
      clearInterval(everySecond)
      keeper.close()
    },
  },
  plainErrors,
  ['changed'],
)
tell = (change) => void listener.changed(change)
for (const change of early) tell(...change)

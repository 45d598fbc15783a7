/** The thread of the records: the only one that waits for the disk. */
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { bundledPort } from '../../lib/bundled-port.ts'
import { roomBeyondReserve } from '../../lib/free-space.ts'
import { returnStartMemory } from '../../lib/start-memory.ts'
import { threadRpc } from '../../lib/thread-rpc.ts'
import { keepRecords } from './keeper.ts'
import { plainErrors } from './plain-errors.ts'
import type { RecordsListener, RecordsThreadCalls, ThreadStart } from './thread-calls.ts'

/** Milliseconds between two checks of the disk's free space. */
const lookEvery = 10_000

if (!parentPort) throw new Error('this file is a thread of serve')
const { path, days }: ThreadStart = workerData
type Event = (listener: RecordsListener) => void
const early: Event[] = []
let send = (event: Event): void => void early.push(event)
let isLow = false
const keeper = keepRecords({
  path,
  days,
  onState: (change) => send((listener) => void listener.changed(change)),
  noted: (fields, message) => send((listener) => void listener.noted(fields, message)),
  now: Date.now,
  monotonic: () => performance.now(),
  random: Math.random,
  isLow: () => isLow,
  soon: setImmediate,
})
const look = () =>
  void roomBeyondReserve(dirname(path)).then(
    (room) => {
      isLow = room <= 0
    },
    () => undefined,
  )
look()
returnStartMemory()
setInterval(look, lookEvery).unref()
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
  ['changed', 'noted'],
)
send = (event) =>
  event({
    changed: (change) => void listener.changed(change),
    noted: (fields, message) => void listener.noted(fields, message),
  })
for (const event of early) send(event)

/** A thread of the records, which alone waits for the disk. Each database has its own keeper, and fails alone. */
import { dirname } from 'node:path'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { bundledPort } from '../../lib/bundled-port.ts'
import { roomBeyondReserve } from '../../lib/free-space.ts'
import { returnStartMemory } from '../../lib/start-memory.ts'
import { threadRpc } from '../../lib/thread-rpc.ts'
import { keepRecords } from './keeper.ts'
import { plainErrors } from './plain-errors.ts'
import type {
  KeeperFailure,
  KeeperOrder,
  RecordsListener,
  RecordsThreadCalls,
  ThreadStart,
} from './thread-calls.ts'

/** Milliseconds between two checks of the disk's free space. */
const lookEvery = 10_000

type Event = (listener: RecordsListener) => void

/** Databases that this thread keeps. */
let databases = 0

function keep({ path, days }: ThreadStart, port: MessagePort): void {
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
    isAlone: () => databases === 1,
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
  const timers = [
    setInterval(look, lookEvery),
    setInterval(() => {
      try {
        keeper.tick()
      } catch (error) {
        fail(port, error)
      }
    }, 1000),
  ]
  let isOpen = true
  const close = () => {
    if (!isOpen) return
    isOpen = false
    for (const timer of timers) clearInterval(timer)
    keeper.close()
  }
  port.on('close', () => {
    try {
      close()
    } catch {
      // It failed before.
    }
  })
  const listener = threadRpc<RecordsListener, RecordsThreadCalls>(
    bundledPort(port),
    { ...keeper.calls, measured: async () => keeper.measured(), close: async () => close() },
    plainErrors,
    ['changed', 'noted'],
  )
  send = (event) =>
    event({
      changed: (change) => void listener.changed(change),
      noted: (fields, message) => void listener.noted(fields, message),
    })
  for (const event of early) send(event)
}

/** Ends one keeper; those of other databases continue. */
function fail(port: MessagePort, error: unknown): void {
  port.postMessage({ failed: String(plainErrors.messageOf(error)) } satisfies KeeperFailure)
  port.close()
}

if (!parentPort) throw new Error('this file is a thread of serve')
parentPort.on('message', ({ start, port }: KeeperOrder) => {
  databases += 1
  port.on('close', () => {
    databases -= 1
  })
  try {
    keep(start, port)
  } catch (error) {
    fail(port, error)
  }
})
returnStartMemory()

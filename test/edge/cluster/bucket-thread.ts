/** The thread of `bucket.ts`. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import { type Fault, serveBucket } from './bucket-server.ts'

const port = parentPort as MessagePort
const { endpoint, fault } = await serveBucket('farms', () => port.postMessage({ met: true }))
port.on('message', (kind: Fault) => fault(kind))
port.postMessage({ endpoint })

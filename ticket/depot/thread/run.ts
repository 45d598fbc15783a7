import { Worker } from 'node:worker_threads'
import { threadLimits } from '../../thread-limits.ts'
import type { Platform } from '../platform.ts'
import type { Progress } from '../progress.ts'
import { type DownloadSettings, downloadSettings } from '../settings.ts'
import type { DepotOrder, DepotOutcome, FromThread, Question, Report, ToThread } from './messages.ts'
import { errorOf, refusalOf } from './refusal.ts'

export interface RunParts {
  /** The configuration, or as much of it. */
  readonly settings: DownloadSettings
  readonly platform: Platform
  readonly progress: Progress
  readonly signal: AbortSignal
  /** Sees the plan of an install before anything is done. */
  readonly onPlan?: (plan: Report) => void
}

/**
 * Downloads or checks the SDK and the game in a thread of its own.
 * @throws DownloadError; whatever the signal was aborted with, when the thread has let go of the directory
 */
export async function runDepot(command: DepotOrder['command'], parts: RunParts): Promise<DepotOutcome> {
  const { settings, platform, progress, signal, onPlan } = parts
  signal.throwIfAborted()
  const order: DepotOrder = { command, settings: downloadSettings(settings) }
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: order,
    execArgv: [],
    resourceLimits: threadLimits,
  })
  const send = (message: ToThread): void => thread.postMessage(message)
  const abort = (): void => send({ kind: 'abort' })
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await new Promise((resolve, reject) => {
      thread.on('error', reject)
      thread.on('exit', () => reject(new Error("the download's thread ended early")))
      thread.on('message', (message: FromThread) => {
        switch (message.kind) {
          case 'ask':
            void answerTo(platform, message).then(send)
            break
          case 'phase':
            progress.phase(message.phase, message.total)
            break
          case 'advance':
            progress.advance(message.bytes)
            break
          case 'say':
          case 'warn':
            progress[message.kind](message.text)
            break
          case 'end':
            progress.end()
            break
          case 'plan':
            onPlan?.({ text: message.text, json: message.json })
            break
          case 'done':
            resolve({ reports: message.reports, wrong: message.wrong })
            break
          case 'failed':
            reject(signal.aborted ? signal.reason : errorOf(message))
            break
        }
      })
    })
  } finally {
    signal.removeEventListener('abort', abort)
    await thread.terminate()
  }
}

async function answerTo(
  platform: Platform,
  { id, name, args }: Question & { readonly id: number },
): Promise<ToThread> {
  try {
    // The thread pairs a method's name with that method's arguments.
    const method = platform[name] as (...args: readonly unknown[]) => ReturnType<Platform[keyof Platform]>
    return { kind: 'answer', id, answer: await method.apply(platform, args) }
  } catch (error) {
    return { kind: 'refusal', id, ...refusalOf(error) }
  }
}

import { parentPort, workerData } from 'node:worker_threads'
import { DownloadError } from '../errors.ts'
import type { Context } from '../install/context.ts'
import { type GameRequest, installGame, verifyGame } from '../install/game.ts'
import { configuredFilter, openContext } from '../install/open-context.ts'
import { planJson, planText } from '../report/plan-text.ts'
import { summaryJson, summaryText } from '../report/summary.ts'
import { verifiedText } from '../report/verified-text.ts'
import { askingPlatform } from './asking-platform.ts'
import type { DepotOrder, DepotOutcome, FromThread, ToThread } from './messages.ts'
import { refusalOf } from './refusal.ts'
import { tellingProgress } from './telling-progress.ts'

/**
 * The download's own thread: thousands of chunks, connections and files to keep in order. The thread that keeps the
 * session, serves tickets or draws the bar only answers what is asked of the platform.
 */
async function main({ command, settings }: DepotOrder): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('this file is a thread')
  const send = (message: FromThread): void => port.postMessage(message)
  const stop = new AbortController()
  const { platform, settle } = askingPlatform(send)
  port.on('message', (message: ToThread) => {
    if (message.kind === 'abort') stop.abort(new DownloadError('aborted', 'the download was stopped'))
    else settle(message)
  })
  const progress = tellingProgress(send)
  let last: FromThread
  try {
    const filter = configuredFilter(settings, progress.warn)
    const { context, close } = openContext(settings, platform, progress, stop.signal)
    const request = { appId: settings.appId, directory: settings.gameDir, filter }
    const run = command === 'install' ? installed(request, context, send) : verified(request, context)
    last = { kind: 'done', ...(await run.finally(close)) }
  } catch (error) {
    last = { kind: 'failed', ...refusalOf(error) }
  }
  progress.end()
  send(last)
  port.close()
}

async function installed(
  request: GameRequest,
  context: Context,
  send: (message: FromThread) => void,
): Promise<DepotOutcome> {
  const done = await installGame(
    request,
    (version, plan) => send({ kind: 'plan', text: planText(version, plan), json: planJson(version, plan) }),
    context,
  )
  return { reports: done.map((each) => ({ text: summaryText(each), json: summaryJson(each) })), wrong: 0 }
}

async function verified(request: GameRequest, context: Context): Promise<DepotOutcome> {
  const found = await verifyGame(request, context)
  return {
    reports: found.map((each) => ({ text: verifiedText(each), json: each })),
    wrong: found.reduce(
      (sum, { differences, unfinished }) => sum + differences.length + Number(unfinished),
      0,
    ),
  }
}

await main(workerData)

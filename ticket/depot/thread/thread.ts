import { parentPort } from 'node:worker_threads'
import { DownloadError } from '../../errors.ts'
import { threadRpc } from '../../thread-rpc.ts'
import type { DownloadSettings } from '../download-settings.ts'
import type { Context } from '../install/context.ts'
import { type GameRequest, installGame, verifyGame } from '../install/game.ts'
import { configuredFilter, openContext } from '../install/open-context.ts'
import type { Plan } from '../plan/plan.ts'
import type { Platform } from '../platform.ts'
import { summaryJson, summaryText, verifiedText } from '../report/outcome-text.ts'
import { planJson, planText } from '../report/plan-text.ts'
import { batchedProgress } from './batched-progress.ts'
import type { DepotOutcome, DepotThreadCalls, DownloadOwnerCalls } from './calls.ts'

/**
 * The thread of a download. It handles all connections, chunks and files; only requests to Steam go to the thread with
 * the session. So a download does not delay tickets or the progress bar.
 */
if (!parentPort) throw new Error('this file is a thread')
const stop = new AbortController()
const session = threadRpc<DownloadOwnerCalls, DepotThreadCalls>(
  parentPort,
  {
    install: (settings) => run(settings, installed),
    repair: (settings) =>
      run(settings, (request, context) => installed({ ...request, isPinned: true }, context)),
    verify: (settings) => run(settings, verified),
    abort: () => stop.abort(new DownloadError('aborted', 'the download was stopped')),
  },
  ['phase', 'advance', 'say', 'warn', 'end', 'plan'],
)
const platform: Platform = {
  depotVersion: session.depotVersion,
  rejectIfNotOwned: session.rejectIfNotOwned,
  // `postMessage` turns a Buffer into a Uint8Array.
  depotKey: async (appId, depotId) => Buffer.from(await session.depotKey(appId, depotId)),
  manifestRequestCode: session.manifestRequestCode,
  contentServers: session.contentServers,
  cdnToken: session.cdnToken,
}

async function run(
  settings: DownloadSettings,
  command: (request: GameRequest, context: Context) => Promise<DepotOutcome>,
): Promise<DepotOutcome> {
  const progress = batchedProgress(session)
  try {
    const filter = configuredFilter(settings, progress.warn)
    const { context, close } = openContext(settings, platform, progress, stop.signal)
    const request = { appId: settings.appId, directory: settings.gameDir, filter }
    return await command(request, context).finally(close)
  } finally {
    progress.end()
  }
}

async function installed(request: GameRequest, context: Context): Promise<DepotOutcome> {
  const done = await installGame(
    request,
    (version, plan) => void session.plan({ text: planText(version, plan), json: planJson(version, plan) }),
    context,
  )
  const sum = (count: (plan: Plan) => number) => done.reduce((total, { plan }) => total + count(plan), 0)
  return {
    reports: done.map((each) => ({ text: summaryText(each), json: summaryJson(each) })),
    wrong: 0,
    files: {
      repaired: sum(({ repair }) => repair.length),
      downloaded: sum(({ missing }) => missing.length),
      unchanged: sum(({ good }) => good),
    },
  }
}

async function verified(request: GameRequest, context: Context): Promise<DepotOutcome> {
  const found = await verifyGame(request, context)
  return {
    reports: found.map((each) => ({ text: verifiedText(each), json: each })),
    wrong: found.reduce(
      (sum, { differences, unfinished }) => sum + differences.length + Number(unfinished),
      0,
    ),
    files: { repaired: 0, downloaded: 0, unchanged: found.reduce((sum, { files }) => sum + files, 0) },
  }
}

import { afterAll, expect, test } from 'vitest'
import { makeBackgroundDownload } from '../../ticket/depot/thread/background-download.ts'
import type { BackgroundDownload } from '../../ticket/download-port.ts'
import { keepSession } from '../../ticket/session/keep-session.ts'
import { eventually } from '../wait.ts'
import { backgroundDownload } from './opened-sessions.ts'
import { makeSetting } from './setting.ts'

const setting = await makeSetting()
afterAll(() => setting.close())

const delays = { first: 5, max: 20, afterRateLimit: 1000, lookForLogin: 20, stableAfter: 0 }

function serve(parts: Partial<BackgroundDownload> | undefined) {
  const download = parts && backgroundDownload(parts)
  const config = setting.config({ PLATFORM_REFRESH_TOKEN: setting.platform.token(setting.account) })
  return keepSession(setting.context(config), download, delays)
}

test('a lost session is reported and regained at once, also while the download of the last one is still ending', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let begun = 0
  const session = serve({
    isComplete: async () => false,
    download: () => (++begun > 1 ? Promise.resolve() : released),
  })
  const phases: string[] = []
  session.onChange(({ phase }) => void phases.push(phase))
  await eventually(() => begun === 1)
  setting.platform.dropSockets()
  await eventually(() => session.state().session === 2 && session.state().phase === 'logged_on')
  expect(phases).toContain('waiting')
  // Two downloads never write to one folder.
  expect(begun).toBe(1)
  release()
  await eventually(() => session.downloadStatus().phase === 'completed')
  await session.close()
})

test('a request of the download that Steam never answers does not delay the next session', async () => {
  setting.platform.knobs.silent.add('ClientPICSProductInfoRequest')
  const config = setting.config({ PLATFORM_REFRESH_TOKEN: setting.platform.token(setting.account) })
  const context = setting.context(config)
  const session = keepSession(context, makeBackgroundDownload(config, context.log), delays)
  for (const round of [1, 2]) {
    await eventually(() => setting.platform.count('ClientPICSProductInfoRequest') === round)
    setting.platform.dropSockets()
  }
  await session.close()
  setting.platform.knobs.silent.clear()
})

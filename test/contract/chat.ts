/** The promises of docs/bot.md, over WebSocket alone: every runtime passes it. */
import { describe } from 'vitest'
import { chatAuthContract } from './chat/auth.ts'
import { frameContract } from './chat/frames.ts'
import { linesContract } from './chat/lines.ts'
import { liveContract } from './chat/live.ts'
import { logContract } from './chat/log.ts'
import { offlineContract } from './chat/offline.ts'
import { pageContract } from './chat/page.ts'
import { resumeContract } from './chat/resume.ts'
import { sayContract } from './chat/say.ts'
import { upgradeContract } from './chat/upgrade.ts'
import type { RuntimeUnderTest } from './server-under-test.ts'

export function chatContract(name: string, runtime: RuntimeUnderTest): void {
  describe(`the chat ${name} follows the contract over WebSocket`, () => {
    upgradeContract(runtime)
    chatAuthContract(runtime)
    frameContract(runtime)
    sayContract(runtime)
    offlineContract(runtime)
    linesContract(runtime)
    resumeContract(runtime)
    liveContract(runtime)
    logContract(runtime)
    pageContract(runtime)
  })
}

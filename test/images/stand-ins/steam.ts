/**
 * The stand-in for Steam, behind its proxy at port 3128. Its certificate and a token of the account are in `/shared`. While
 * `/shared/hold` exists, no more than the first files of the game are sent. SIGUSR2 is the account's phone, which approves.
 */
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { startPlatform } from '../../platform/platform.ts'
import { serveGame } from '../../ticket/depot/serve-game.ts'
import { account } from './account.ts'
import { publish } from './publish.ts'

const platform = await startPlatform()
const known = platform.book.add(account)
platform.knobs.guard = 'device-code'
const content = await serveGame(platform)
content.knobs.fault = ({ kind }) =>
  kind === 'chunk' && content.chunkRequests() > 2 && existsSync('/shared/hold')
    ? { do: 'delay', milliseconds: 60_000 }
    : undefined
process.on('SIGUSR2', () => platform.phone.approve(known))
writeFileSync('/shared/token', platform.token(known))
copyFileSync(platform.certificateFile, '/shared/ca.pem')
publish(3128, Number(new URL(platform.proxyUrl).port))

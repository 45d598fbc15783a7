/** The stand-in for Steam, behind its proxy at port 3128. Its certificate and a token of the account are in `/shared`. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { startPlatform } from '../../platform/platform.ts'
import { serveGame } from '../../ticket/depot/serve-game.ts'
import { account } from './account.ts'
import { publish } from './publish.ts'

const platform = await startPlatform()
const known = platform.book.add(account)
platform.knobs.guard = 'device-code'
await serveGame(platform)
writeFileSync('/shared/token', platform.token(known))
copyFileSync(platform.certificateFile, '/shared/ca.pem')
publish(3128, Number(new URL(platform.proxyUrl).port))

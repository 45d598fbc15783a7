import type { IncomingMessage, ServerResponse } from 'node:http'
import type { World } from './world.ts'

/** Listed connection managers; all are this stand-in. There are several, because a client avoids one that failed. */
const MANAGERS = ['cm1.steamserver.net:443', 'cm2.steamserver.net:443', 'cm3.steamserver.net:443']

/** The web API of the platform: the list of connection managers, and the answers that were added with `onPath`. */
export function serverDirectory(world: World) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url?.split('?')[0] ?? ''
    if (world.knobs.hangs === 'directory') return
    if (world.knobs.directoryDown) {
      response.writeHead(503).end()
    } else if (path.startsWith('/ISteamDirectory/GetCMListForConnect/')) {
      // The client reads the body only when the type is text.
      response.writeHead(200, { 'content-type': 'text/vdf; charset=UTF-8' }).end(managerList())
    } else {
      const answer = world.webAnswer(path)
      if (answer === undefined) response.writeHead(404).end()
      else response.writeHead(200, { 'content-type': 'text/vdf; charset=UTF-8' }).end(answer)
    }
  }
}

function managerList(): string {
  const entries = MANAGERS.map(
    (endpoint, index) => `"${index}"
{ "endpoint" "${endpoint}" "legacy_endpoint" "${endpoint}" "type" "websockets" "dc" "test" "realm" "steamglobal" "load" "10" "wtd_load" "10" }`,
  )
  return `"response"\n{\n"serverlist"\n{\n${entries.join('\n')}\n}\n"success" "1"\n"message" ""\n}\n`
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { World } from './world.ts'

/** Names of the connection managers on offer. All of them are this stand-in; several, since a client avoids one that failed. */
const MANAGERS = ['cm1.steamserver.net:443', 'cm2.steamserver.net:443', 'cm3.steamserver.net:443']

/** The platform's web API, as far as a client needs it to find a connection manager. */
export function serverDirectory(world: World) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url?.split('?')[0] ?? ''
    if (world.knobs.directoryDown) {
      response.writeHead(503).end()
    } else if (path.startsWith('/ISteamDirectory/GetCMListForConnect/')) {
      // A text type is needed: the client reads the body only then.
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

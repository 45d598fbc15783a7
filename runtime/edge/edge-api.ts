/** The common part of the control API in the Worker, for its documents, and in the object of a farm. */
import type { LinkedGame } from '../../bridges/linked/edge-end/linked-game.ts'
import { edgeEndpoints } from '../../handlers/endpoints/edge-endpoints.ts'
import { isGameEvent } from '../../handlers/game-event.ts'
import { type Api, type ApiParts, createApi } from '../api.ts'
import { originRules } from '../http/cors.ts'
import type { EdgeConfig } from './config.ts'

interface EdgeApiParts extends Pick<ApiParts, 'keys' | 'page' | 'pages' | 'boundDiscord' | 'log'> {
  readonly game: LinkedGame
  readonly config: EdgeConfig
}

export const edgeApi = ({ game, config, ...parts }: EdgeApiParts): Api =>
  createApi({
    ...config,
    ...parts,
    endpoints: edgeEndpoints,
    farm: { game, records: game.records, forward: game.forward },
    origins: originRules(config.allowedOrigins),
    // The Worker has removed the prefix.
    basePath: '',
    ageOnRefusals: false,
    fixedLength,
    hear: (listener) => void game.hear((event) => isGameEvent(event) && listener(event)),
    now: () => Date.now(),
    monotonic: () => performance.now(),
    newRequestId: () => crypto.randomUUID(),
  })

/** The platform omits `Content-Length` of any other stream. */
const fixedLength = (body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> =>
  body.pipeThrough(new FixedLengthStream(length))

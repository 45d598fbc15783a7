/** The control API as the Worker, for its documents, and the object of a farm make it alike. */

import type { LinkedGame } from '../../bridges/linked/linked-game.ts'
import { type Api, type ApiParts, createApi, type RouterParts } from '../api.ts'
import { originRules } from '../http/cors.ts'
import { edgeCaller } from './caller.ts'
import type { EdgeConfig } from './config.ts'

interface EdgeApiParts extends Pick<ApiParts, 'keys' | 'log' | 'listening' | 'now' | 'monotonic'> {
  readonly game: LinkedGame
  readonly config: Pick<EdgeConfig, 'allowedOrigins' | 'rates'>
}

interface EdgeApi extends Omit<Api, 'router'> {
  readonly newRequestId: () => string
  router(
    own: Pick<
      RouterParts<object>,
      | 'gate'
      | 'publicInviteCodes'
      | 'refusalsAs200'
      | 'discord'
      | 'boundDiscord'
      | 'pages'
      | 'hear'
      | 'upgrade'
    >,
  ): ReturnType<Api['router']>
}

export function edgeApi({ game, config, ...parts }: EdgeApiParts): EdgeApi {
  const newRequestId = () => crypto.randomUUID()
  const api = createApi({
    ...parts,
    farm: { game, records: game.records, forward: game.forward },
    origins: originRules(config.allowedOrigins),
    rates: config.rates,
    newRequestId,
  })
  return {
    ...api,
    newRequestId,
    router: (own) =>
      api.router({ ...own, fixedLength, ageOnRefusals: false, basePath: '', caller: edgeCaller }),
  }
}

/** The platform leaves out `Content-Length` of any other stream. */
const fixedLength = (body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> =>
  body.pipeThrough(new FixedLengthStream(length))

import type { ContentServer, DepotVersion, Platform } from '../platform.ts'
import { FetchError } from './fetch-error.ts'

/** The tokens of content servers that answer 401 or 403 without one. */
export type Tokens = ReturnType<typeof contentTokens>

interface Token {
  readonly query: Promise<string>
  /** Whether a request with it has succeeded. */
  worked: boolean
}

export function contentTokens(platform: Platform, { appId, depotId }: DepotVersion) {
  const tokens = new Map<string, Token>()

  const request = (name: string): void => {
    const token = { query: platform.cdnToken(appId, depotId, name), worked: false }
    tokens.set(name, token)
    // The request that awaits the token fails with the rejection. The next refused request asks for a new token.
    token.query.catch(() => {
      if (tokens.get(name) === token) tokens.delete(name)
    })
  }

  return {
    /**
     * Sends a request, with the server's token if it has one. After 401 or 403 it is sent again at once with a new token,
     * unless a token that never worked was refused.
     * @param send sends the request; `query` goes at the end of the address. It is a secret
     */
    async send<Answer>({ vhost }: ContentServer, send: (query: string) => Promise<Answer>): Promise<Answer> {
      const once = async (): ReturnType<typeof send> => {
        const token = tokens.get(vhost)
        const answer = await send((await token?.query) ?? '')
        if (token !== undefined) token.worked = true
        return answer
      }
      const before = tokens.get(vhost)
      try {
        return await once()
      } catch (error) {
        if (!isRefusal(error)) throw error
        if (tokens.get(vhost) === before) {
          if (before !== undefined && !before.worked) throw error
          request(vhost)
        }
        return await once()
      }
    },
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof FetchError && (error.status === 401 || error.status === 403)
}

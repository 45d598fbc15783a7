/**
 * Stands in for the other programs of a real farm, on loopback: a chat channel that takes the farm's messages, and an
 * issuer of OpenID Connect at which everyone is the same person.
 */
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collected } from '../../lib/foreign/collected.ts'

/** Who signs in there. */
export const demoPerson = { subject: 'demo', name: 'Demo account' } as const

/** Maximum of bytes in a request. */
const maxBytes = 1024 * 1024

/** The variables of sign-in there. @param url of the stand-ins @param page of the farm */
export const signInVariables = (url: string, page: string) => ({
  PUBLIC_URL: page,
  SIGN_IN_OIDC_ISSUER: url,
  SIGN_IN_OIDC_CLIENT_ID: 'demo',
  SIGN_IN_OIDC_CLIENT_SECRET: randomUUID(),
  SIGN_IN_OIDC_NAME: demoPerson.name,
})

/** @param page of the farm, to which people return @returns the address, without a slash at its end */
export async function startStandIns(page: string): Promise<string> {
  const issuer = issuerFor(page)
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    const sent = collected(maxBytes)
    // A larger one, or one that ends early, is not for the issuer.
    await request.forEach((piece) => void sent.add(piece)).catch(() => undefined)
    const form = new URLSearchParams(new TextDecoder().decode(sent.whole()))
    if (!issuer(url, pathname, searchParams, form, response)) response.end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return url
}

interface Grant {
  readonly client: string
  readonly challenge: string
  readonly nonce: string
}

/** @returns answers a request; false for one that is not for the issuer */
function issuerFor(page: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = 'ES256'
  const grants = new Map<string, Grant>()
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = (claims: object) => {
    const content = `${encoded({ alg: algorithm, kid: 'demo' })}.${encoded(claims)}`
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
    return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
  }
  const authorize = (asked: URLSearchParams, response: ServerResponse) => {
    const callback = `${page}/sign-in/callback`
    if (asked.get('redirect_uri') !== callback) return void response.writeHead(400).end()
    const of = (name: string) => asked.get(name) ?? ''
    const code = randomUUID()
    grants.set(code, { client: of('client_id'), challenge: of('code_challenge'), nonce: of('nonce') })
    const back = new URLSearchParams({ code, state: of('state') })
    response.writeHead(302, { Location: `${callback}?${back}` }).end()
  }
  const tokensFor = (issuer: string, form: URLSearchParams) => {
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (grant?.challenge !== challenge) return undefined
    const iat = Math.floor(Date.now() / 1000)
    const person = { sub: demoPerson.subject, preferred_username: demoPerson.name, groups: [] }
    const claims = { iss: issuer, aud: grant.client, iat, exp: iat + 300, nonce: grant.nonce, ...person }
    return { access_token: randomUUID(), token_type: 'Bearer', id_token: signed(claims) }
  }
  return (
    url: string,
    path: string,
    asked: URLSearchParams,
    form: URLSearchParams,
    response: ServerResponse,
  ): boolean => {
    const send = (status: number, body: object) =>
      void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    if (path === '/authorize') authorize(asked, response)
    else if (path === '/token') {
      const tokens = tokensFor(url, form)
      if (tokens === undefined) send(400, { error: 'invalid_grant' })
      else send(200, tokens)
    } else if (path === '/jwks')
      send(200, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'demo', alg: algorithm, use: 'sig' }],
      })
    else if (path === '/.well-known/openid-configuration')
      send(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/jwks`,
        id_token_signing_alg_values_supported: [algorithm],
      })
    else return false
    return true
  }
}

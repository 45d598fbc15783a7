import { randomBytes } from 'node:crypto'

export interface Account {
  readonly name: string
  readonly password: string
  readonly steamId: string
  /** The valid Steam Guard code, by email and by device. */
  readonly code: string
  readonly email: string
}

/** The claims of a token. Times in seconds since 1970. */
interface TokenClaims {
  readonly sub: string
  readonly aud: readonly string[]
  readonly exp: number
  readonly iat: number
}

/** The accounts, tokens and remembered machines of the platform. */
export class AccountBook {
  readonly accounts = new Map<string, Account>()
  /** Valid refresh tokens and their accounts. */
  readonly tokens = new Map<string, Account>()
  /** All tokens ever issued, also revoked ones and those of remembered machines. */
  readonly issued = new Set<string>()
  /** Tokens of remembered machines and their accounts. */
  readonly machines = new Map<string, Account>()

  add(account: Account): Account {
    this.accounts.set(account.name, account)
    return account
  }

  bySteamId(steamId: string): Account | undefined {
    return [...this.accounts.values()].find((account) => account.steamId === steamId)
  }

  /** Issues a refresh token. @param expiresAt seconds since 1970 */
  issue(account: Account, expiresAt: number): string {
    const token = makeToken({
      sub: account.steamId,
      aud: ['client', 'web', 'renew', 'derive'],
      exp: expiresAt,
      iat: 0,
    })
    this.tokens.set(token, account)
    this.issued.add(token)
    return token
  }

  revoke(token: string): void {
    this.tokens.delete(token)
  }

  /** Issues the token of a remembered machine; with it a password sign-in needs no code. */
  issueMachine(account: Account): string {
    const token = makeToken({ sub: account.steamId, aud: ['machine'], exp: 2 ** 31, iat: 0 })
    this.machines.set(token, account)
    this.issued.add(token)
    return token
  }

  /** Issues an access token. It lacks the audience `derive`. @param expiresAt seconds since 1970 */
  access(account: Account, expiresAt: number): string {
    const token = makeToken({ sub: account.steamId, aud: ['client', 'web'], exp: expiresAt, iat: 0 })
    this.issued.add(token)
    return token
  }
}

/** @returns a token in the format of the platform. The signature is random, so that each token is different. */
export function makeToken(claims: TokenClaims): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signature = randomBytes(48).toString('base64url')
  return `${part({ typ: 'JWT', alg: 'EdDSA' })}.${part({ iss: 'steam', ...claims })}.${signature}`
}

/** @returns when a token expires, in seconds since 1970; 0 when it does not say. */
export function tokenEnd(token: string): number {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return 0
  return Number(claims.exp)
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { readConfig, type TicketConfig } from '../../ticket/config.ts'
import { makeLog } from '../../ticket/log.ts'
import { makeSecrets } from '../../ticket/secrets.ts'
import type { SessionContext } from '../../ticket/session/open-session.ts'
import { type SessionStore, sessionStore } from '../../ticket/session/session-file.ts'
import type { Account } from '../platform/accounts.ts'
import { type Platform, startPlatform } from '../platform/platform.ts'

/** The account that most tests sign in with. */
export const junimo: Account = {
  name: 'junimo',
  password: 'canary-password-6c1f',
  steamId: '76561198000000001',
  code: 'K7Q2X',
  email: 'j***@example.com',
}

/** The last file that the download writes. */
export const marker = '.download-manifest-413150'

/** A stand-in platform, trusted by this process, and temporary folders. */
export interface Setting {
  readonly platform: Platform
  readonly account: Account
  /** The lines of the log. */
  readonly lines: string[]
  /** A new folder, removed at the end. */
  folder(): string
  /** A folder with the completion marker in it: the service changes nothing there. */
  gameFolder(): string
  config(environment?: Record<string, string>): TicketConfig
  context(config: TicketConfig, parts?: { store?: SessionStore; clock?: Clock }): SessionContext
  close(): Promise<void>
}

/** Starts a platform of one account. */
export async function makeSetting(): Promise<Setting> {
  const platform = await startPlatform()
  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, platform.certificate])
  const account = platform.book.add(junimo)
  const folders: string[] = []
  const lines: string[] = []
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), 'ticket-'))
    folders.push(made)
    return made
  }
  return {
    platform,
    account,
    lines,
    folder,
    gameFolder() {
      const made = folder()
      writeFileSync(join(made, marker), '{}')
      return made
    },
    config: (environment = {}) =>
      configOf({
        PLATFORM_PROXY: platform.proxyUrl,
        SESSION_DIR: join(folder(), 'session'),
        GAME_DIR: folder(),
        ...environment,
      }),
    context(config, parts = {}) {
      const secrets = makeSecrets()
      const log = makeLog({
        level: 'debug',
        pretty: false,
        colours: false,
        secrets,
        write: (line) => void lines.push(line),
      })
      const store = parts.store ?? sessionStore(config.sessionDir)
      const clock = parts.clock ?? systemClock
      const signal = new AbortController().signal
      return {
        config,
        store,
        log,
        secrets,
        clock,
        signal,
        prompter: undefined,
        logonTimeout: 20_000,
        approvalTimeout: 20_000,
      }
    },
    async close() {
      await platform.close()
      tls.setDefaultCACertificates(trusted)
      for (const made of folders) rmSync(made, { recursive: true, force: true })
    },
  }
}

/** @returns the configuration of a valid environment. */
export function configOf(environment: Record<string, string>): TicketConfig {
  const { config, problems } = readConfig(environment)
  if (!config) throw new Error(JSON.stringify(problems))
  return config
}

/**
 * The Worker's configuration. A Worker cannot refuse to start, so a wrong variable counts as not set, and is logged.
 */
import { Buffer } from 'node:buffer'
import { type EnvironmentProblem, readEnvironment } from '../../lib/environment.ts'
import type { Rates } from '../../lib/rate-limit.ts'
import { discordOf, ratesOf } from '../common-variables.ts'
import type { DiscordSettings } from '../discord/signed-commands.ts'
import { variables } from './variables.ts'

export interface EdgeConfig {
  /** Empty, or `/prefix` without a trailing slash. */
  readonly basePath: string
  readonly rates: Rates
  readonly maxClients: number
  readonly allowedOrigins: readonly string[]
  readonly publicInviteCodes: boolean
  readonly refusalsAs200: boolean
  readonly discord: DiscordSettings | undefined
  /** The webhook of the fleet. */
  readonly fleetWebhook: { readonly url: string; readonly secret: Uint8Array } | undefined
  /** Wrong variables, which are not used. */
  readonly problems: readonly EnvironmentProblem[]
}

/** @param env the Worker's bindings, its variables among them */
export function configOf(env: object): EdgeConfig {
  const given = Object.entries(env)
  const { problems } = readVariables(given)
  const isWrong = (name: string) => problems.some(({ variable }) => variable === name)
  const { values } = readVariables(given.filter(([name]) => !isWrong(name)))
  if (values === undefined) throw new Error('an environment without its wrong variables must be right')
  return {
    basePath: values.API_BASE_PATH,
    rates: ratesOf(values),
    maxClients: values.WS_MAX_CLIENTS,
    allowedOrigins: values.ALLOWED_ORIGINS,
    publicInviteCodes: values.PUBLIC_INVITE_CODES,
    refusalsAs200: values.REFUSALS === '200',
    discord: discordOf(values),
    fleetWebhook:
      values.FLEET_WEBHOOK_URL === undefined || values.FLEET_WEBHOOK_SECRET === undefined
        ? undefined
        : {
            url: values.FLEET_WEBHOOK_URL,
            secret: Buffer.from(values.FLEET_WEBHOOK_SECRET.slice('whsec_'.length), 'base64'),
          },
    problems,
  }
}

const readVariables = (given: readonly (readonly [string, unknown])[]) =>
  readEnvironment(variables, Object.fromEntries(given), () => {
    throw new Error('a Worker has no files')
  })

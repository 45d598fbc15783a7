/**
 * The Worker's configuration. A Worker cannot refuse to start, so a wrong variable counts as not set, and is logged.
 */
import { Buffer } from 'node:buffer'
import { readEnvironment } from '../../lib/environment.ts'
import { discordOf, ratesOf } from '../common-variables.ts'
import { variables } from './variables.ts'

export type EdgeConfig = ReturnType<typeof configOf>

/** @param env the Worker's bindings, its variables among them */
export function configOf(env: object) {
  const given = Object.entries(env)
  const { problems } = readVariables(given)
  const isWrong = (name: string) => problems.some(({ variable }) => variable === name)
  const { values } = readVariables(given.filter(([name]) => !isWrong(name)))
  if (values === undefined) throw new Error('an environment without its wrong variables must be right')
  return {
    /** Empty, or `/prefix` without a trailing slash. */
    basePath: values.API_BASE_PATH,
    rates: ratesOf(values),
    maxClients: values.WS_MAX_CLIENTS,
    allowedOrigins: values.ALLOWED_ORIGINS,
    publicInviteCodes: values.PUBLIC_INVITE_CODES,
    publicBadge: values.PUBLIC_BADGE,
    refusalsAs200: values.REFUSALS === '200',
    discord: discordOf(values),
    /** The webhook of the fleet. */
    fleetWebhook:
      values.FLEET_WEBHOOK_URL === undefined || values.FLEET_WEBHOOK_SECRET === undefined
        ? undefined
        : {
            url: values.FLEET_WEBHOOK_URL,
            secret: Buffer.from(values.FLEET_WEBHOOK_SECRET.slice('whsec_'.length), 'base64'),
          },
    /** Wrong variables, which are not used. */
    problems,
  }
}

const readVariables = (given: readonly (readonly [string, unknown])[]) =>
  readEnvironment(variables, Object.fromEntries(given), () => {
    throw new Error('a Worker has no files')
  })

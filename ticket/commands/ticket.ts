import type { RunCommand } from '../command-context.ts'
import { Failure, PlatformError } from '../errors.ts'
import { withSession } from '../session/command-session.ts'
import { requestTicket } from '../session/platform-requests.ts'

/** Writes one app ticket, base64, to stdout. */
export const run: RunCommand = (context) =>
  withSession(context, async ({ client }) => {
    const ticket = await requestTicket(client, context.config.appId).catch((error: unknown) => {
      throw ticketFailure(error)
    })
    await context.result(`${Buffer.from(ticket.bytes).toString('base64')}\n`)
  })

function ticketFailure(error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error
  if (error.kind === 'timeout') return new Failure('failed', 'Steam did not answer in time.')
  const owns =
    error.result !== 'AccessDenied' &&
    error.result !== 'NoLicense' &&
    error.result !== 'InsufficientPrivilege'
  if (owns) return new Failure('failed', `Steam gave no ticket (${error.message}).`)
  return new Failure('not_owned', `The account does not own the game (${error.result}).`)
}

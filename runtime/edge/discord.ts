/**
 * Commands of Discord for all farms of an edge. An application of Discord has one address for all of them, so the Worker
 * finds the farm of each command, and that farm decides whether the Discord server is bound to it.
 */
import { Problem } from '../../handlers/problem.ts'
import { bodyBytes } from '../../process/body-text.ts'
import {
  type CommandInteraction,
  isCommand,
  isPing,
  readInteraction,
  subcommandOf,
} from '../discord/interaction.ts'
import { notBound, pong, refusal, replied, wrongCode } from '../discord/reply.ts'
import { discordSignature } from '../discord/signature.ts'
import { lateNotice, maxInteraction, notSetUp, notSigned } from '../discord-interactions.ts'
import type { Answer } from '../http/answer.ts'
import { configOf } from './config.ts'
import type { EdgeEnv } from './env.ts'
import { farmName, fleetObject } from './fleet.ts'
import { edgeLog } from './log.ts'
import { defaultFarm, fleetFarm } from './object-name.ts'

type Body = Uint8Array<ArrayBuffer>

/** Sends a request to the object of a farm. */
type AskFarm = (object: string, body: Body) => Response | Promise<Response>

interface Interaction {
  /** The bytes that Discord has signed. */
  readonly body: Body
  readonly is: ReturnType<typeof readInteraction>
}

/** @returns a function that reads a request of Discord, and verifies its signature */
export function edgeDiscord(env: EdgeEnv) {
  const { discord } = configOf(env)
  if (discord === undefined) return () => Promise.resolve(notSetUp())
  const late = lateNotice(edgeLog(env.LOG_LEVEL), () => performance.now())
  const isSigned = discordSignature(discord.publicKey, () => Date.now(), late)
  /** @returns a problem for a request that Discord has not signed @throws {Problem} malformed_request */
  return async (request: Request): Promise<Interaction | Problem> => {
    const read = await bodyBytes(request.body, maxInteraction)
    if ('fault' in read)
      return new Problem('payload_too_large', `The body is larger than ${maxInteraction} bytes`)
    const header = (name: string) => request.headers.get(name) ?? undefined
    if (!(await isSigned(read.bytes, { header }))) return notSigned()
    return { body: read.bytes, is: readInteraction(read.bytes) }
  }
}

const nameTheFarm = refusal('Name the farm too: /farm bind code:<code> farm:<name of the farm>')

export async function answerAtEdge(
  { body, is }: Interaction,
  env: EdgeEnv,
  ask: AskFarm,
): Promise<Answer | Response> {
  if (isPing(is)) return pong()
  const isBinding = isCommand(is) && subcommandOf(is).name === 'bind'
  const object = isCommand(is) ? await objectOf(is, env) : undefined
  if (object === undefined) return replied(isBinding ? nameTheFarm : notBound)
  const response = await ask(object, body)
  // An object whose farm does not exist answers every request with 401.
  return response.status === 401 ? replied(isBinding ? refusal(wrongCode) : notBound) : response
}

/** The object of the farm that a command is for. */
async function objectOf(interaction: CommandInteraction, env: EdgeEnv): Promise<string | undefined> {
  const { name, given } = subcommandOf(interaction)
  const named = name === 'bind' ? given['farm'] : undefined
  if (named !== undefined) return farmName.test(named) ? fleetFarm(named) : undefined
  const bound =
    env.FLEET_KEY && name !== 'bind' && interaction.guild_id !== undefined
      ? await fleetObject(env).discordFarm(interaction.guild_id)
      : undefined
  return bound ?? (env.API_KEY ? defaultFarm : undefined)
}

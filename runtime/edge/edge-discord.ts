/**
 * Commands of Discord for all farms of an edge. An application of Discord has one address for all of them, so the Worker
 * finds the farm of each command, and that farm decides whether the Discord server is bound to it.
 */
import { farmName } from '../../handlers/fleet.ts'
import { type CommandInteraction, subcommandOf } from '../../services/discord/interaction.ts'
import { notBound, refusal, replied, wrongCode } from '../../services/discord/reply.ts'
import { notSetUp, type SignedRequest, signedCommands } from '../../services/discord/signed-commands.ts'
import { type Answer, jsonAnswer } from '../http/answer.ts'
import { readBytes } from '../http/body.ts'
import { configOf } from './config.ts'
import type { EdgeEnv } from './env.ts'
import { fleetObject } from './fleet.ts'
import { edgeLog } from './log.ts'
import { defaultFarm, fleetFarm } from './object-name.ts'

/** Sends a request to the object of a farm. */
type AskFarm = (object: string, body: Uint8Array<ArrayBuffer>) => Response | Promise<Response>

export function edgeDiscord(env: EdgeEnv): (request: Request) => Promise<SignedRequest> {
  const { discord } = configOf(env)
  if (discord === undefined) return notSetUp
  const read = signedCommands({
    publicKey: discord.publicKey,
    readBytes,
    log: edgeLog(env.LOG_LEVEL),
    now: () => Date.now(),
    monotonic: () => performance.now(),
  })
  return (request) => read(request, { header: (name) => request.headers.get(name) ?? undefined })
}

const nameTheFarm = refusal('Name the farm too: /farm bind code:<code> farm:<name of the farm>')

export async function answerAtEdge(
  got: SignedRequest,
  env: EdgeEnv,
  ask: AskFarm,
): Promise<Answer | Response> {
  if ('answer' in got) return jsonAnswer(got.answer)
  const { command, body } = got
  const isBinding = subcommandOf(command).name === 'bind'
  const object = await objectOf(command, env)
  if (object === undefined) return jsonAnswer(replied(isBinding ? nameTheFarm : notBound))
  const response = await ask(object, body)
  // An object whose farm does not exist answers every request with 401.
  return response.status === 401 ? jsonAnswer(replied(isBinding ? refusal(wrongCode) : notBound)) : response
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

import { FarmgateError } from '../../client/index.ts'
import { parseIfJson } from '../../client/json.ts'
import { harmlessJson } from '../../lib/harmless-text.ts'
import { fetchAsCommand } from '../connection/agent.ts'
import type { Where } from '../connection/where.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure, wrongUsage } from '../outcome/failure.ts'
import type { Context } from '../terminal/context.ts'
import { type AddCommand, commonOptions, confirmForFarm, runs, withExamples } from './add-command.ts'

interface Options {
  readonly data?: string
  readonly yes?: true
}

export const api: AddCommand = (program, context) => {
  const command = program
    .command('api <method> <path>')
    .description('send any request; the paths are listed at /docs of the farm')
    .option('--data <json>', 'the body')
    .option('-y, --yes', 'do not ask before something is destroyed')
  withExamples(
    command,
    'api GET /stats',
    "api POST '/time?value=1200'",
    `api POST /newgame --data '{"farmName":"Clover"}'`,
  )
  runs(command, context, ['status'], async (place, method: string, path: string, { data, yes }: Options) => {
    if (!path.startsWith('/')) throw wrongUsage(`The path begins with a slash: /${path}`)
    if (data !== undefined && parseIfJson(data) === undefined) throw wrongUsage('--data is not JSON.')
    const verb = method.toUpperCase()
    if (isDestructive(verb, `${place.url}${path}`))
      await confirmForFarm(place, context, `${verb} ${path} cannot be taken back.`, yes)
    const answer = await send(place, context, verb, path, data)
    await showAnswer(answer, context, commonOptions(command).json === true)
  })
}

/**
 * Whether a request cannot be undone: it deletes something, replaces the world, discards its last day, or takes a
 * farmhand from its account. The path is compared as the farm receives it: the URL parser has resolved `..` and
 * removed line breaks, and a proxy in front of the farm may decode it and join slashes.
 */
function isDestructive(method: string, url: string): boolean {
  if (method === 'DELETE') return true
  const path = decoded(URL.parse(url)?.pathname ?? '').replaceAll(/[/\\]+/g, '/')
  return method === 'POST' && /\/(newgame|reload|farmhands\/rebind|backups\/restore)\/?$/i.test(path)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

async function send({ url, key }: Where, context: Context, method: string, path: string, data?: string) {
  try {
    return await fetchAsCommand(`${url}${path}`, {
      method,
      headers: {
        ...(key !== '' && { authorization: `Bearer ${key}` }),
        ...(data !== undefined && { 'content-type': 'application/json' }),
      },
      signal: context.interrupted(),
      redirect: 'manual',
      ...(data !== undefined && { body: data }),
    })
  } catch (error) {
    context.interrupted().throwIfAborted()
    const isRequest = error instanceof TypeError && error.cause === undefined
    if (isRequest) throw wrongUsage(`This request cannot be sent: ${error.message}`)
    const unknown = method === 'GET' || method === 'HEAD' ? '' : '; whether the change was made is unknown'
    throw new FarmgateError('unreachable', `No answer from ${new URL(url).host}${unknown}`, { cause: error })
  }
}

/** JSON is formatted for a person at a terminal, and unchanged for a script. */
async function showAnswer(answer: Response, { out }: Context, isScript: boolean): Promise<void> {
  const type = answer.headers.get('content-type') ?? ''
  const isText = type === '' || /^text\/|json|javascript|xml/.test(type)
  if (!answer.ok) throw failureOfAnswer(answer, await answer.text())
  if (!isText && out.isTerminal)
    throw wrongUsage(
      `The answer is ${type}, nothing for a terminal.`,
      'Write it to a file: farmgate api … > file',
    )
  if (!isText) return out.raw(new Uint8Array(await answer.arrayBuffer()))
  const body = await answer.text()
  const record = parseIfJson(body)
  if (record !== undefined && out.isTerminal && !isScript) out.json(record, 2)
  else if (record !== undefined) out.raw(`${harmlessJson(body)}\n`)
  else for (const line of body.replace(/\n$/, '').split('\n')) if (body !== '') out.line(line)
}

/** The same as of any command, so that exit code and remedy are the same. */
function failureOfAnswer({ status, headers, url }: Response, text: string): Error {
  // The key is not sent to another address unless the user asks for it.
  const target = URL.parse(headers.get('location') ?? '', url)
  if (status < 400 && target?.origin === new URL(url).origin)
    return new Failure(exitCodes.failed, `It is at ${target.href} (HTTP ${status})`, 'Ask for that path.')
  const body = parseIfJson(text)
  const { error, code, retry } = (typeof body === 'object' ? (body ?? {}) : {}) as Record<string, unknown>
  // A long poll without a match has no body.
  if (status === 408)
    return new FarmgateError('wait_timeout', 'Nothing matched in time (HTTP 408)', { status })
  if (typeof error !== 'string' || typeof code !== 'string')
    return new FarmgateError('bad_answer', `The answer (HTTP ${status}) is not one of farmgate`, {
      status,
      body,
    })
  return new FarmgateError(code, `${error} (HTTP ${status})`, { status, body, retry: retry === true })
}

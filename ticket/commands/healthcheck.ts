import { get } from 'node:http'
import type { RunCommand } from '../command-context.ts'
import { Failure } from '../errors.ts'

const answerTimeout = 2000

/** Requests `/health` of the service on this machine. It imports only `node:http`, because it runs every 30 s. */
export const run: RunCommand = async ({ config, say }) => {
  const host =
    config.host === undefined || config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: string) => reject(new Failure('failed', `Not healthy: ${reason}.`))
    const request = get({ host, port: config.port, path: '/health', timeout: answerTimeout }, (response) => {
      response.resume()
      if (response.statusCode === 200) resolve()
      else fail(`it answered ${response.statusCode}`)
    })
    request.on('timeout', () => fail('it does not answer'))
    request.on('error', (error) => fail(error.message))
  })
  say('Healthy.')
}

import { connect, FarmgateError } from '../../client/index.ts'
import { defaultProfile, profilesPath, readProfiles, saveProfile } from '../connection/profiles.ts'
import { addressOf, keyFrom } from '../connection/where.ts'
import { wrongUsage } from '../outcome/failure.ts'
import { askSecret } from '../terminal/secret.ts'
import { type AddCommand, commonOptions, withCalls, withExamples } from './add-command.ts'

export const login: AddCommand = (program, context) => {
  const command = program
    .command('login <url>')
    .description('save address and key of a farm, for all later commands')
  withExamples(
    command,
    'login http://localhost:8080',
    'login https://edge.example/farms/clover --profile clover',
    'login http://localhost:8080 < key.txt',
  )
  withCalls(command, 'GET /players').action(async (given: string) => {
    const { profile: name = defaultProfile, keyFile } = commonOptions(command)
    const url = addressOf(given)
    const path = profilesPath(context.env)
    // A broken file is reported before the operator types the key.
    readProfiles(path)
    const key = keyFrom(keyFile) ?? (await askSecret(context, question))
    if (/[^\x21-\x7e]/.test(key)) throw wrongUsage('A key has only visible ASCII characters.')
    await check(url, key, context.interrupted())
    await saveProfile(path, name, { url, key })
    const isPlain = url.startsWith('http:') && !isThisMachine(url)
    if (isPlain)
      context.notes.line('Note: over http:// the key can be read on the way; use https:// or a VPN.')
    context.notes.line(`Saved as profile ${name}. Try: farmgate status`)
  })
}

const question = 'Key (API_KEY of the farm; not shown): '

/** @throws {FarmgateError} the farm does not answer, or does not accept the key */
async function check(url: string, key: string, signal: AbortSignal): Promise<void> {
  try {
    await connect({ url, key, signal }).players()
  } catch (error) {
    // Then the key is right.
    const isAccepted =
      error instanceof FarmgateError &&
      (error.code === 'insufficient_scope' || error.code === 'game_unavailable')
    if (!isAccepted) throw error
  }
}

const isThisMachine = (url: string) => /^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(new URL(url).hostname)

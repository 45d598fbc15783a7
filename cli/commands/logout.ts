import { defaultProfile, deleteProfile, profilesPath } from '../connection/profiles.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'
import { type AddCommand, commonOptions, withExamples } from './add-command.ts'

export const logout: AddCommand = (program, context) => {
  const command = program.command('logout').description('delete the saved address and key')
  withExamples(command, 'logout', 'logout --profile clover').action(async () => {
    const name = commonOptions(command).profile ?? context.env['FARMGATE_PROFILE'] ?? defaultProfile
    if (!(await deleteProfile(profilesPath(context.env), name)))
      throw new Failure(exitCodes.notFound, `There is no profile ${name}.`)
    context.notes.line(`The profile ${name} is deleted.`)
  })
}

/** The package from `npm pack`, installed into an empty project and used there as by a bot author. */
import { afterAll } from 'vitest'
import { botProject } from './bot-project.ts'
import { packageForm } from './form.ts'
import { packageOnPlatforms } from './platforms.ts'
import { packagePrograms } from './programs.ts'
import { packageTypes } from './types.ts'

const installed = await botProject()
afterAll(() => installed?.close())
const project = () => {
  if (installed === undefined) throw new Error('the package is not installed')
  return installed
}

packageForm(project)
packageTypes(project)
packagePrograms(project)
packageOnPlatforms(project)

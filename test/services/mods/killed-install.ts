/** Installs `mods.zip` of a folder, and kills itself after a step. Arguments: the folder, the number of the step. */
import { join } from 'node:path'
import { modsInArchive } from '../../../services/mods/archived-mods.ts'
import { installPlanned, planMods } from '../../../services/mods/change-mods.ts'
import { findAllMods, inModFolders } from '../../../services/mods/mod-folders.ts'

const [root = '', step = ''] = process.argv.slice(2)
const folders = { dir: join(root, 'Mods'), offDir: join(root, 'Mods.off') }
const zip = join(root, 'mods.zip')
let steps = 0
await inModFolders(folders, async (opened) => {
  const planned = await planMods(opened, await modsInArchive(zip), (await findAllMods(folders)).mods)
  await installPlanned(opened, zip, planned, () => {
    steps += 1
    if (steps === Number(step)) process.kill(process.pid, 'SIGKILL')
  })
})

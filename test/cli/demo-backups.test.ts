/** The backups of `npm start`, whose saves are in a temporary folder. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tomorrow } from '../../bridges/simulated/calendar.ts'
import type { BackupList } from '../../handlers/backup-list.ts'
import { askWithKey } from '../contract/request.ts'
import { newFolder } from '../new-folder.ts'
import { programs } from '../programs.ts'
import { launch } from '../runtime/node/farmgate-process.ts'
import { eventually } from '../wait.ts'

/** The demo, in an otherwise empty temporary folder. */
async function startDemo() {
  const temporary = newFolder()
  const demo = await launch([process.execPath, programs.demo], {
    DATA_DIR: '',
    TMPDIR: temporary,
    API_PORT: '0',
    SIM_SEED: 'demo',
    // A night takes 0.4 s, a day more than a minute.
    SIM_SPEED: '10',
  })
  const [, url = ''] = await demo.said(/open at (http:\S+)/)
  const [, key = ''] = await demo.said(/for this run only: {2}(\S+)/)
  const ask = async (method: string, path: string) => {
    const answer = await askWithKey({ url, key }, method, path)
    expect(answer.status).toBe(200)
    return answer.json
  }
  return {
    ask,
    /** Names of the archives in all temporary folders of the demo. */
    archives: () =>
      readdirSync(temporary, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.includes(join('backups', '')) && path.endsWith('.zip'))
        .map((path) => path.split('/').at(-1)),
  }
}

test('the demo has backups: after a game day there is a verified one of the new day', async () => {
  const { ask, archives } = await startDemo()
  const { day, season, year } = (await ask('GET', '/status')) as Parameters<typeof tomorrow>[0]
  await ask('POST', '/time?value=2600')
  const made = await eventually(async () => {
    const { backups } = (await ask('GET', '/backups')) as BackupList
    const next = tomorrow({ day, season, year })
    const found = backups.find((one) => one.day === next.day && one.season === next.season)
    expect(found).toMatchObject({ ...next, reason: 'day', verifiedAt: expect.any(String) })
    return found
  })
  expect(archives()).toContain(`${made?.id}.zip`)
})

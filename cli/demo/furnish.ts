/** What an operator has set up on the farm of the demo: made by its own API, so that it is as real as the rest. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../client/index.ts'

/**
 * @param farm with a key of the scope `admin`
 * @param channel where its messages go; undefined where a later run opens the farm again, which would have no receiver
 * @throws {FarmgateError}
 */
export async function furnish(
  farm: { readonly url: string; readonly key: string },
  channel: string | undefined,
): Promise<void> {
  const client = connect(farm)
  const restart = await client.createSchedule({
    name: 'Restart at night',
    cron: '0 5 * * *',
    do: { action: 'restart' },
    onlyWhenEmpty: true,
    warnMinutes: [5, 1],
  })
  const greeting = await client.createSchedule({
    name: 'Greeting',
    cron: '0 20 * * 5,6',
    do: { action: 'announce', message: 'Welcome! Type !help for help.' },
  })
  for (const { id } of [restart, greeting]) await client.runSchedule({ id })
  if (channel !== undefined) {
    const { id } = await client.createWebhook({
      name: 'Channel of the farm',
      url: channel,
      events: ['player.joined', 'player.left', 'day.started', 'backup.failed', 'game.crashed'],
      format: 'standard',
    })
    await client.testWebhook({ id })
  }
  await client.createKey({ name: 'Robin, moderator', scopes: ['read', 'chat', 'control'] })
  await client.setAllowlist({
    accounts: [{ platform: 'steam', id: '76561198385195600', note: 'Abby' }],
  })
  await client.createInvitation({ scopes: ['read', 'chat'], uses: 5 })
}

const mods = [
  { folder: 'ContentPatcher', id: 'Pathoschild.ContentPatcher', name: 'Content Patcher', version: '1.30.0' },
  { folder: 'Automate', id: 'Pathoschild.Automate', name: 'Automate', version: '2.3.1' },
  {
    folder: 'SeasonalRecolour',
    id: 'Demo.SeasonalRecolour',
    name: 'Seasonal Recolour',
    version: '3.0.0',
    // The installed one is too old.
    needs: { id: 'Pathoschild.ContentPatcher', from: '2.0.0' },
  },
  {
    folder: 'MoreAnimals',
    id: 'Demo.MoreAnimals',
    name: 'More Animals',
    version: '1.1.0',
    needs: { id: 'Demo.AnimalFramework', from: '1.0.0' },
  },
] as const

/** A folder of mods, of which one needs a newer version of another, and one misses what it depends on. */
export function layMods(folder: string): void {
  for (const { folder: name, id, ...mod } of mods) {
    const at = join(folder, name)
    mkdirSync(at)
    const manifest = {
      Name: mod.name,
      Author: 'Demo',
      Version: mod.version,
      UniqueID: id,
      EntryDll: 'Mod.dll',
      ...('needs' in mod && {
        Dependencies: [{ UniqueID: mod.needs.id, MinimumVersion: mod.needs.from }],
      }),
    }
    writeFileSync(join(at, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    writeFileSync(join(at, 'Mod.dll'), '')
  }
}

/** Reads the whole save of a stand-in back, its people included. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GameSave, loadSave } from '../../bridges/simulated/save-files.ts'

/** @returns undefined where there is none that loads; the copies of the night before count, as at the real one */
export function savedWorld(saves: string, name: string): GameSave | undefined {
  const facts = loadSave(saves, name)
  const file = join(saves, name, name)
  if (facts === undefined || !existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const [host = '', ...farmhands] = [...text.matchAll(/<(?:player|Farmer)><name>([^<]*)</g)].map(
    ([, one = '']) => one.replaceAll('&amp;', '&'),
  )
  const farmId = Number(/<uniqueIDForThisGame>(\d+)</.exec(text)?.[1])
  return { ...facts, farmId, host, farmhands, gameVersion: '1.6.15' }
}

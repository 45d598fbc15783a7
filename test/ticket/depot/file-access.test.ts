import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../ticket/depot', import.meta.url))

/** The only file that passes paths to `node:fs`, each through `lib/shared-folder/`. */
const room = ['tree/game-directory.ts']

/** What other files can use of `node:fs`: calls on open files. */
const onOpenFiles = [
  'closeSync',
  'fchmodSync',
  'fstatSync',
  'fsync',
  'fsyncSync',
  'ftruncateSync',
  'readSync',
  'writeSync',
]

test('only the room for GAME_DIR passes paths to node:fs, so no other file of the download can follow a link', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const found = files
    .filter((file) => !room.includes(file))
    .flatMap((file) => {
      const text = readFileSync(`${root}/${file}`, 'utf8')
      const imports = [...text.matchAll(/import\s+([^;'"]*?)\s+from\s+'(?:node:)?(fs|fs\/promises|sqlite)'/g)]
      return imports.flatMap(([, names = '', module = '']) =>
        names
          .replace(/[{}]/g, '')
          .split(',')
          .map((name) => name.trim())
          .filter(
            (name) =>
              name !== '' && !name.startsWith('type ') && !(module === 'fs' && onOpenFiles.includes(name)),
          )
          .map((name) => `${file}: ${name}`),
      )
    })
  expect(found).toEqual([])
})

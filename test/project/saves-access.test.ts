import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const services = fileURLToPath(new URL('../../services/', import.meta.url))

/** Files that pass paths to `node:fs`: of `BACKUP_DIR`, `DATA_DIR` and a person's own files. */
const own: Readonly<Record<string, readonly string[]>> = {
  'backups/archive-calls.ts': ['stat'],
  'backups/backup-index.ts': ['readdir', 'stat'],
  'backups/backup-store.ts': ['mkdir', 'open', 'readdir', 'rename', 'rm', 'stat', 'unlink'],
  'backups/copy-offsite.ts': ['createReadStream', 'stat'],
  'backups/write-archive.ts': ['createWriteStream', 'open'],
  'saves/begun-import.ts': ['readdir', 'rename', 'rm'],
  'saves/farm-file.ts': [
    'createReadStream',
    'createWriteStream',
    'DatabaseSync',
    'mkdir',
    'mkdtemp',
    'open',
    'readFile',
    'rename',
    'rm',
    'stat',
    'writeFile',
  ],
  'saves/import-calls.ts': ['stat'],
  'saves/open-saves.ts': ['rmSync'],
  'saves/receive-archive.ts': ['mkdir', 'open', 'rm'],
}
/** Exports that accept no path. */
const harmless = ['constants']

/** The names that a file imports from modules that open files by their path, without types. */
function taken(file: string): string[] {
  const text = readFileSync(services + file, 'utf8')
  const imports = [
    ...text.matchAll(
      /import\s+(?!type\b)([^;'"]*?)\s+from\s+'(?:node:)?(?:fs|fs\/promises|sqlite|child_process)'/g,
    ),
  ]
  return imports.flatMap(([, names = '']) =>
    names
      .replace(/[{}]/g, '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type ') && !harmless.includes(name)),
  )
}

test('no file of archives, backups and saves passes a path among the saves to node:fs, so none can follow a link that the game has made', () => {
  const files = ['archives', 'backups', 'saves'].flatMap((folder) =>
    readdirSync(services + folder).map((name) => `${folder}/${name}`),
  )
  expect(files.length).toBeGreaterThan(40)
  const found = files.flatMap((file) =>
    taken(file)
      .filter((name) => own[file]?.includes(name) !== true)
      .map((name) => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

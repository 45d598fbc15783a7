import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../../services/backups/', import.meta.url))

/** Files that pass paths to `node:fs`: of `BACKUP_DIR`, and the path that a person imports a save from. */
const own: Readonly<Record<string, readonly string[]>> = {
  'backup-index.ts': ['readdir', 'readFile', 'stat'],
  'backup-store.ts': ['mkdir', 'open', 'readdir', 'rename', 'rm', 'stat', 'unlink'],
  'copy-offsite.ts': ['createReadStream', 'stat'],
  'import-save.ts': ['mkdtemp', 'rm', 'stat'],
  'write-archive.ts': ['createWriteStream', 'open'],
}
/** Exports that accept no path. */
const harmless = ['constants']

/** The names that a file imports from modules that open files by their path, without types. */
function taken(file: string): string[] {
  const text = readFileSync(folder + file, 'utf8')
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

test('no file of the backups passes a path among the saves to node:fs, so none can follow a link that the game has made', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(20)
  const found = files.flatMap((file) =>
    taken(file)
      .filter((name) => own[file]?.includes(name) !== true)
      .map((name) => `${file}: ${name}`),
  )
  expect(found).toEqual([])
})

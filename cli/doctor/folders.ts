/** Mounts and files that variables name, and their rights. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../../lib/environment.ts'
import { profilesPath, readProfiles } from '../connection/profiles.ts'
import { Failure } from '../outcome/failure.ts'
import { broken, type Check, ok, warning } from './check.ts'

/** Folders that farmgate writes to, and files and folders that it only reads. */
const written = ['DATA_DIR', 'BACKUP_DIR']
const read = ['SETTINGS_PATH']

export async function folderChecks(env: Environment): Promise<Check[]> {
  const set = (names: readonly string[]) =>
    names.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []))
  const secrets = Object.entries(env).flatMap(([name, path]) =>
    /_(KEY|PASSPHRASE)_FILE$/.test(name) && path ? [[name, path] as const] : [],
  )
  const made = set(['KEYS_DIR']).flatMap(([name, path]) =>
    ['api_key', 'game_api_key'].map((key) => [name, join(path, key)] as const),
  )
  return [
    ...set(written).map(([name, path]) => writable(name, path)),
    ...set(read).map(([name, path]) =>
      may(path, constants.R_OK)
        ? ok(name, `${path} can be read`)
        : broken(
            name,
            `${path} cannot be read`,
            'Mount it, and give the user of this process the right to read it.',
          ),
    ),
    ...(await Promise.all(set(['SAVES_DIR']).map(([name, path]) => savesCheck(name, path)))),
    ...[...secrets, ...made].flatMap(([name, path]) => privacy(name, path)),
    ...savedProfiles(profilesPath(env)),
  ]
}

async function savesCheck(name: string, path: string): Promise<Check> {
  // Loaded only when it is needed, because other commands start faster without the control API.
  const { trySaves } = await import('../../runtime/node/check-config.ts')
  const { problem, isWritable } = await trySaves(path)
  if (problem !== undefined)
    return broken(name, `${path} ${problem}`, '/help/backups has the lines for compose.yaml.')
  return isWritable
    ? ok(name, `${path}: backups are made, and can be restored`)
    : ok(name, `${path}: backups are made; to restore one it must be writable (/help/backups)`)
}

function savedProfiles(path: string): Check[] {
  try {
    readProfiles(path)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [broken('profiles', error.message, error.remedy ?? '')]
  }
  return privacy('profiles', path)
}

/** A missing folder is made at the start. */
function writable(name: string, path: string): Check {
  const nearest = existing(path)
  if (statSync(nearest).isDirectory() && may(nearest, constants.W_OK))
    return ok(name, `${path} can be written to`)
  return broken(
    name,
    `${path} cannot be written to`,
    'Mount it without :ro, and give the user of this process the right to write there.',
  )
}

function existing(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : existing(parent)
}

function privacy(name: string, path: string): Check[] {
  if (process.platform === 'win32' || !existsSync(path)) return []
  const mode = statSync(path).mode & 0o777
  if ((mode & 0o007) === 0) return [ok(name, `${path} is private`)]
  return [warning(name, `every user of this machine can read ${path}`, `chmod 600 ${path}`)]
}

function may(path: string, right: number): boolean {
  try {
    accessSync(path, right)
    return true
  } catch {
    return false
  }
}

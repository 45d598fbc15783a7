/** Farms that `farmgate login` has saved: one file that only its owner can read. */

import { chmodSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { replacePrivateFile } from '../../lib/atomic-file.ts'
import type { Environment } from '../../lib/environment.ts'
import { errorCode } from '../../lib/error-code.ts'
import { readForeign } from '../../lib/foreign/read.ts'
import { exitCodes } from '../outcome/exit-codes.ts'
import { Failure } from '../outcome/failure.ts'

export interface Profile {
  readonly url: string
  /** Empty for a farm without a key. */
  readonly key: string
}

type Profiles = Readonly<Record<string, Profile>>

const savedProfiles = v.object({
  profiles: v.record(v.string(), v.object({ url: v.string(), key: v.string() })),
})

/** The name of a profile that is saved without a name. */
export const defaultProfile = 'default'

/** `farmgate/profiles.json` in the folder for settings of the XDG Base Directory Specification. */
export function profilesPath(env: Environment): string {
  const given = env['XDG_CONFIG_HOME'] ?? ''
  const folder = given.startsWith('/') ? given : join(env['HOME'] ?? homedir(), '.config')
  return join(folder, 'farmgate', 'profiles.json')
}

/** @throws {Failure} when the file exists and is unusable */
export function readProfiles(path: string): Profiles {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw unusable(path, errorCode(error) ?? 'unknown cause')
  }
  const saved = readForeign(savedProfiles, text)
  if (saved === undefined) throw unusable(path, 'it is not a file of profiles')
  return saved.profiles
}

const unusable = (path: string, cause: string) =>
  new Failure(
    exitCodes.wrongEnvironment,
    `${path} cannot be read: ${cause}`,
    'Fix or delete the file, then: farmgate login <url>.',
  )

/** @throws {Failure} when the file cannot be written */
export async function saveProfile(path: string, name: string, profile: Profile): Promise<void> {
  await write(path, { ...readProfiles(path), [name]: profile })
}

/** @returns whether there was one */
export async function deleteProfile(path: string, name: string): Promise<boolean> {
  const { [name]: deleted, ...others } = readProfiles(path)
  if (deleted === undefined) return false
  if (Object.keys(others).length === 0) rmSync(path)
  else await write(path, others)
  return true
}

async function write(path: string, profiles: Profiles): Promise<void> {
  try {
    await replacePrivateFile(path, `${JSON.stringify({ profiles }, null, 2)}\n`)
    // The mode at the creation is reduced by the umask, which may take the owner's own rights.
    chmodSync(path, 0o600)
  } catch (error) {
    const cause = errorCode(error) ?? 'unknown cause'
    throw new Failure(
      exitCodes.wrongEnvironment,
      `${path} cannot be written: ${cause}`,
      'Check the rights of its folder, or set XDG_CONFIG_HOME to one that you can write to.',
    )
  }
}

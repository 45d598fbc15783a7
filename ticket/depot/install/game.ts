import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Filter, keepAll } from '../plan/filter.ts'
import { storageError } from '../storage-error.ts'
import { lockDirectory } from '../tree/lock-directory.ts'
import { removeMarker } from '../tree/marker.ts'
import type { Context } from './context.ts'
import { type Installed, type InstallRequest, install } from './install.ts'
import { type Verified, verify } from './verify.ts'

/** App id of the Steamworks SDK redistributable. The game server loads it for the connections of players. */
const sdkAppId = 1007

/** Where the game server looks for the SDK, below its own directory. */
const sdkDirectory = '.steam-sdk'

export interface GameRequest {
  readonly appId: number
  /** `GAME_DIR`. */
  readonly directory: string
  readonly filter: Filter
}

/**
 * Downloads the SDK, then the game. The game server starts when the game's marker exists, so the game comes last.
 * @throws DownloadError
 */
export async function installGame(
  { appId, directory, filter }: GameRequest,
  onPlan: InstallRequest['onPlan'],
  context: Context,
): Promise<Installed[]> {
  await mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw storageError(error, directory)
  })
  const release = lockDirectory(directory)
  try {
    await context.platform.checkOwned(appId)
    const sdk = await install(
      {
        appId: sdkAppId,
        directory: join(directory, sdkDirectory),
        filter: keepAll,
        onPlan,
        beforeChange: () => removeMarker(directory, appId),
      },
      context,
    )
    return [sdk, await install({ appId, directory, filter, onPlan }, context)]
  } finally {
    release()
  }
}

/** Checks the SDK and the game. Changes nothing. @throws DownloadError */
export async function verifyGame(request: GameRequest, context: Context): Promise<Verified[]> {
  const sdk = { appId: sdkAppId, directory: join(request.directory, sdkDirectory), filter: keepAll }
  return [await verify(sdk, context), await verify(request, context)]
}

import { type Filter, keepAll } from '../plan/filter.ts'
import { makeGameDirectory } from '../tree/game-directory.ts'
import { lockDirectory } from '../tree/lock-directory.ts'
import { setMarkerAside } from '../tree/marker.ts'
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
  /** Whether to repair the installed versions of both instead of updating them. */
  readonly isPinned?: boolean
}

/**
 * Downloads the SDK, then the game. The game server starts when the game's marker exists, so the game comes last.
 * @throws DownloadError
 */
export async function installGame(
  { appId, directory, filter, isPinned = false }: GameRequest,
  onPlan: InstallRequest['onPlan'],
  context: Context,
): Promise<Installed[]> {
  const game = { directory, folder: '' }
  const opened = makeGameDirectory(game)
  let release = (): void => undefined
  let putMarkerBack = (): void => undefined
  try {
    release = lockDirectory(opened)
    await context.platform.rejectIfNotOwned(appId)
    const sdk = await install(
      {
        appId: sdkAppId,
        root: { directory, folder: sdkDirectory },
        filter: keepAll,
        isPinned,
        onPlan,
        beforeChange: () => {
          putMarkerBack = setMarkerAside(opened, appId, isPinned)
        },
      },
      context,
    )
    // The SDK is whole, and so is the game: its update may still find too little room and change nothing.
    putMarkerBack()
    return [sdk, await install({ appId, root: game, filter, isPinned, onPlan }, context)]
  } finally {
    release()
    opened.close()
  }
}

/** Checks the SDK and the game. Changes nothing. @throws DownloadError */
export async function verifyGame(
  { appId, directory, filter }: GameRequest,
  context: Context,
): Promise<Verified[]> {
  const sdk = { appId: sdkAppId, root: { directory, folder: sdkDirectory }, filter: keepAll }
  return [
    await verify(sdk, context),
    await verify({ appId, root: { directory, folder: '' }, filter }, context),
  ]
}

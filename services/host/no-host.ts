import { farmgateCannot } from '../../handlers/farm-error.ts'
import type { Host } from '../../handlers/host.ts'

const unsupported = () =>
  Promise.reject(farmgateCannot("control the game's process. Set GAME_HOST to choose how"))

/** The port where `GAME_HOST` is not set. */
export const noHost: Host = {
  host: unsupported,
  beginOperation: unsupported,
  operations: unsupported,
  cancelOperation: unsupported,
  hostLog: unsupported,
  hearLog: () => () => undefined,
  typeLine: unsupported,
}

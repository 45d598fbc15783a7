import { farmgateCannot } from '../../handlers/farm-error.ts'
import type { Mods } from '../../handlers/mods.ts'

const unsupported = () =>
  Promise.reject(farmgateCannot('see the mods: no mods folder is mounted. Set MODS_DIR'))

/** The port where `MODS_DIR` is not set. */
export const noMods: Mods = {
  mods: unsupported,
  installMods: unsupported,
  enableMod: unsupported,
  disableMod: unsupported,
  deleteMod: unsupported,
  setModSide: unsupported,
  modsPack: unsupported,
  makePackLink: unsupported,
  packLinks: unsupported,
  revokePackLink: unsupported,
  packLinkOf: unsupported,
  modUpdates: unsupported,
}

import { endpoint } from '../endpoint.ts'
import { installedMods, maxModsZip } from '../mod-record.ts'
import { modBudgets } from '../mods.ts'

export const installMods = endpoint('POST /mods', {
  at: 'farm',
  scope: 'admin',
  tag: 'Mods',
  operationId: 'installMods',
  summary:
    'Installs the mods of a zip; a replaced mod keeps its config.json and the files that the zip does not have',
  upload: { type: 'application/zip', maxBytes: maxModsZip, description: 'A zip with one or more mods' },
  status: 201,
  result: installedMods,
  example: {
    installed: [{ id: 'Abby.MoreSeeds', name: 'More Seeds', version: '1.2.0', folder: 'More Seeds' }],
    replaced: [],
  },
  budget: modBudgets.install,
  problems: [
    'malformed_request',
    'archive_refused',
    'save_in_progress',
    'unsupported',
    'disk_failed',
    'disk_low',
  ],
  handle: ({ upload }, { mods }) => mods.installMods(upload),
})

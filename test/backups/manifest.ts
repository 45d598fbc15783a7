import { saveName } from '../../bridges/simulated/save-files.ts'
import type { Manifest } from '../../services/archives/manifest.ts'
import { clover } from './saved-farm.ts'

/** The manifest of a backup of Clover without files. */
export const manifestOf = (more: Partial<Manifest> = {}): Manifest => ({
  format: 1,
  madeAt: '2026-11-21T12:00:00.000Z',
  reason: 'day',
  save: saveName(clover),
  farmName: clover.farmName,
  ...clover.date,
  gameVersion: clover.gameVersion,
  people: [],
  files: [],
  ...more,
})

import type { Manifest } from '../../ticket/depot/format/manifest.ts'
import { openContext } from '../../ticket/depot/install/open-context.ts'
import { openSource } from '../../ticket/depot/install/source.ts'
import { silent } from '../../ticket/depot/progress.ts'
import { type Place, placePlatform, placeSettings } from './place.ts'

/** The manifest of a place's depot. */
export async function manifestOf(place: Place): Promise<Manifest> {
  const settings = placeSettings(place)
  const signal = new AbortController().signal
  const { context, close } = openContext(settings, placePlatform(place), silent, signal)
  return (await openSource(settings.appId, context).finally(close)).manifest
}

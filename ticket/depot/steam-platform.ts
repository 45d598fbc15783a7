import * as v from 'valibot'
import { checkForeign } from '../../lib/foreign/read.ts'
import { untilAborted, withTimeLimit } from '../../lib/time-limit.ts'
import { DownloadError } from '../errors.ts'
import type { DepotClient } from '../steam-user.ts'
import type { ContentServer, Platform } from './platform.ts'

/** Milliseconds. Without it steam-user waits an hour for product data, and ten seconds for other answers. */
const answerTimeout = 30_000
const maxTries = 3

/** EResult numbers that mean that the account does not own the app. After other results the request is tried again. */
const notOwnedResults = new Set([15, 40])

const depotSchema = v.object({
  config: v.optional(v.object({ oslist: v.optional(v.string()) })),
  manifests: v.optional(v.object({ public: v.union([v.string(), v.object({ gid: v.string() })]) })),
})
const appSchema = v.object({
  common: v.optional(v.object({ name: v.optional(v.string()) })),
  depots: v.record(v.string(), v.unknown()),
})
const productsSchema = v.object({ apps: v.record(v.string(), v.object({ appinfo: v.nullish(v.unknown()) })) })
const keySchema = v.object({ key: v.instance(Uint8Array) })
const codeSchema = v.object({ requestCode: v.pipe(v.unknown(), v.transform(String), v.regex(/^\d+$/)) })
const tokenSchema = v.object({ token: v.string() })
const serversSchema = v.object({
  servers: v.array(
    v.object({
      Host: v.string(),
      vhost: v.optional(v.string()),
      https_support: v.optional(v.string()),
      weightedload: v.optional(v.pipe(v.unknown(), v.transform(Number))),
      allowed_app_ids: v.optional(v.unknown()),
    }),
  ),
})

/**
 * @returns Steam as a download uses it, over a logged-on client
 * @param ended aborts when the session ends; pending requests then fail at once
 * @param timeout milliseconds for each answer
 */
export function steamPlatform(client: DepotClient, ended: AbortSignal, timeout = answerTimeout): Platform {
  const ask = <Schema extends v.GenericSchema>(
    what: string,
    schema: Schema,
    question: () => Promise<unknown>,
  ) => answer(what, schema, question, timeout, ended)
  return {
    async depotVersion(appId) {
      const found = await ask('product data', productsSchema, () => client.getProductInfo([appId], [], true))
      const app = checkForeign(appSchema, found.apps[appId]?.appinfo)
      if (!app.success)
        throw new DownloadError(
          'platform',
          `Steam knows no app ${appId} that has files; check PLATFORM_APP_ID`,
        )
      for (const [id, entry] of Object.entries(app.output.depots)) {
        const depot = checkForeign(depotSchema, entry)
        if (!/^\d+$/.test(id) || !depot.success) continue
        const manifest = depot.output.manifests?.public
        if (depot.output.config?.oslist?.toLowerCase() !== 'linux' || manifest === undefined) continue
        const manifestId = typeof manifest === 'string' ? manifest : manifest.gid
        return { appId, name: app.output.common?.name ?? `app ${appId}`, depotId: Number(id), manifestId }
      }
      throw new DownloadError('platform', `app ${appId} has no depot for linux`)
    },
    async rejectIfNotOwned(appId) {
      try {
        await ask('ownership', v.unknown(), () => client.getAppOwnershipTicket(appId))
      } catch (error) {
        if (error instanceof DownloadError && error.kind === 'not_owned') throw error
      }
    },
    async depotKey(appId, depotId) {
      const { key } = await ask('depot key', keySchema, () => client.getDepotDecryptionKey(appId, depotId))
      return Buffer.from(key)
    },
    async manifestRequestCode({ appId, depotId, manifestId }) {
      const question = () => client.getManifestRequestCode(appId, depotId, manifestId, 'public')
      return (await ask('manifest request code', codeSchema, question)).requestCode
    },
    async contentServers(appId) {
      // Called without an app id: with one, steam-user throws for servers that list their apps.
      const { servers } = await ask('content servers', serversSchema, () => client.getContentServers())
      return servers.filter((server) => serves(server.allowed_app_ids, appId)).map(contentServer)
    },
    async cdnToken(appId, depotId, host) {
      return (await ask('content token', tokenSchema, () => client.getCDNAuthToken(appId, depotId, host)))
        .token
    },
  }
}

/** Whether a server serves an app. A list is an array in JSON and an object in Steam's key-value text. */
function serves(allowed: unknown, appId: number): boolean {
  if (allowed === undefined || allowed === null || typeof allowed !== 'object') return true
  return Object.values(allowed).map(Number).includes(appId)
}

function contentServer(server: v.InferOutput<typeof serversSchema>['servers'][number]): ContentServer {
  return {
    host: server.Host,
    vhost: server.vhost || server.Host,
    https:
      server.https_support === 'mandatory' || server.https_support === 'optional'
        ? server.https_support
        : 'none',
    load: Number.isFinite(server.weightedload) ? Number(server.weightedload) : 0,
  }
}

const noAnswer = () => new Error('no answer in time')

async function answer<Schema extends v.GenericSchema>(
  what: string,
  schema: Schema,
  question: () => Promise<unknown>,
  timeout: number,
  ended: AbortSignal,
): Promise<v.InferOutput<Schema>> {
  let last = 'the session ended'
  for (let attempt = 0; attempt < maxTries && !ended.aborted; attempt++) {
    try {
      const found = checkForeign(
        schema,
        await untilAborted(withTimeLimit(timeout, question(), noAnswer), ended),
      )
      if (found.success) return found.output
      last = 'answered in a form that is not known'
    } catch (error) {
      const result = error instanceof Error && 'eresult' in error ? Number(error.eresult) : undefined
      last = error instanceof Error ? error.message : String(error)
      if (result !== undefined && notOwnedResults.has(result)) {
        throw new DownloadError(
          'not_owned',
          `Steam refuses the ${what}: the account does not own this (${last})`,
        )
      }
    }
  }
  throw new DownloadError('platform', `Steam did not give the ${what}: ${last}`)
}

import type { StandInDepot } from './depots.ts'
import { decode, encode } from './protobufs.ts'
import { message, result, type World } from './world.ts'

/** Apps, their depots and the content servers of the platform. */
export interface Content {
  /** Public versions by app. */
  readonly apps: Map<number, { readonly name: string; depot: StandInDepot }>
  /** Content servers, `name` or `name:port`. */
  readonly hosts: string[]
  /** Apps that the account does not own. */
  readonly notOwned: Set<number>
  /** Query string in the answer to a request for a content token. */
  token: string
  /** Code that ends the address of a manifest. */
  requestCode: string
  /** Whether a content server has HTTPS, as Steam says it in `https_support`; `optional` unless it is here. */
  readonly https: Map<string, string>
  /** The apps of servers that serve only some, by host. */
  readonly onlyFor: Map<string, readonly number[]>
}

/** Adds responders for product data, ownership, depot keys, request codes, content servers and their tokens. */
export function addContent(world: World): Content {
  const content: Content = {
    apps: new Map(),
    hosts: [],
    notOwned: new Set(),
    token: '?token=secret-content-token',
    requestCode: '1234567890123456789',
    https: new Map(),
    onlyFor: new Map(),
  }

  world.onMessage('ClientPICSAccessTokenRequest', ({ frame }) => {
    const { appids = [] } = decode('CMsgClientPICSAccessTokenRequest', frame.body)
    const app_access_tokens = list(appids).map((appid) => ({ appid, access_token: '1' }))
    return answer('ClientPICSAccessTokenResponse', { app_access_tokens })
  })

  world.onMessage('ClientPICSProductInfoRequest', ({ frame }) => {
    const { apps = [] } = decode('CMsgClientPICSProductInfoRequest', frame.body)
    const asked = list(apps).map((app) => Number(field(app, 'appid')))
    return answer('ClientPICSProductInfoResponse', {
      apps: asked.filter((id) => content.apps.has(id)).map((id) => productInfo(content, id)),
      unknown_appids: asked.filter((id) => !content.apps.has(id)),
    })
  })

  world.onMessage('ClientGetAppOwnershipTicket', ({ frame }) => {
    const appId = Number(decode('CMsgClientGetAppOwnershipTicket', frame.body).app_id)
    const eresult = result(content.notOwned.has(appId) ? 'AccessDenied' : 'OK')
    return answer('ClientGetAppOwnershipTicketResponse', { eresult, app_id: appId, ticket: Buffer.alloc(64) })
  })

  world.onMessage('ClientGetDepotDecryptionKey', ({ frame }) => {
    const { app_id, depot_id } = decode('CMsgClientGetDepotDecryptionKey', frame.body)
    const app = content.apps.get(Number(app_id))
    const owned = app?.depot.depotId === Number(depot_id) && !content.notOwned.has(Number(app_id))
    return answer(
      'ClientGetDepotDecryptionKeyResponse',
      owned
        ? { eresult: result('OK'), depot_id, depot_encryption_key: app.depot.key }
        : { eresult: result('AccessDenied'), depot_id },
    )
  })

  world.onMessage('ClientGetCDNAuthToken', () =>
    answer('ClientGetCDNAuthTokenResponse', {
      eresult: result('OK'),
      token: content.token,
      expiration_time: world.now() + 86_400,
    }),
  )

  world.onMethod('ContentServerDirectory.GetManifestRequestCode#1', () => ({
    body: encode('CContentServerDirectory_GetManifestRequestCode_Response', {
      manifest_request_code: content.requestCode,
    }),
  }))

  world.onPath('/IContentServerDirectoryService/GetServersForSteamPipe/', () => serverList(content))
  return content
}

function answer(name: string, body: object) {
  return { message: message(name), body: encode(`CMsg${name}`, body) }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

/** @returns the product data of an app. Depots of other systems come first, because only the linux one may be used. */
function productInfo(content: Content, appId: number): object {
  const app = content.apps.get(appId)
  if (app === undefined) return {}
  const { depotId, manifestId } = app.depot
  const depot = (id: number, system: string, gid: string) =>
    `"${id}" { "config" { "oslist" "${system}" } "manifests" { "public" { "gid" "${gid}" "size" "1" "download" "1" } } }`
  const text = `"appinfo" { "appid" "${appId}" "common" { "name" "${app.name}" } "depots" { ${depot(depotId - 2, 'windows', '1')} ${depot(depotId - 1, 'macos', '2')} ${depot(depotId, 'linux', manifestId)} "branches" { "public" { "buildid" "1" } } } }\0`
  return { appid: appId, change_number: 1, buffer: Buffer.from(text) }
}

function serverList(content: Content): string {
  const entries = content.hosts.map((host, index) => {
    const only = content.onlyFor
      .get(host)
      ?.map((app, place) => `"${place}" "${app}"`)
      .join(' ')
    const allowed = only === undefined ? '' : ` "allowed_app_ids" { ${only} }`
    return `"${index}" { "type" "CDN" "source_id" "${index}" "cell_id" "42" "load" "10" "weighted_load" "${10 + index}" "num_entries_in_client_list" "1" "host" "${host}" "vhost" "${host}" "https_support" "${content.https.get(host) ?? 'optional'}"${allowed} }`
  })
  return `"response" { "servers" { ${entries.join('\n')} } }`
}

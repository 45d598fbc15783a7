import type { ServerOptions } from '../../../runtime/node/server.ts'
import { silent } from '../../logs.ts'

/** Options of a server without rates, pages and a log. */
export const plainServer = {
  rates: { reads: 0, writes: 0, anonymous: 0, failedKeys: 0 },
  allowedOrigins: [],
  publicInviteCodes: false,
  publicBadge: true,
  refusalsAs200: false,
  basePath: '',
  trustProxy: 0,
  maxClients: 2000,
  pages: new Map(),
  log: silent,
} satisfies Partial<ServerOptions>

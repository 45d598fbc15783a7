/** What a platform can change, at the Worker as Cloudflare runs it. The other suites run at an own edge, which is the same Worker. */
import { clientContract } from '../contract/client.ts'
import { platformContract } from '../contract/http.ts'
import { farmAtEdge, platformServer } from './edge-server.ts'
import { edgeExemptions } from './exemptions.ts'

clientContract('at the edge', { start: farmAtEdge, origin: 'edge' })
platformContract('at the edge', { start: platformServer, origin: 'edge', exempt: edgeExemptions })

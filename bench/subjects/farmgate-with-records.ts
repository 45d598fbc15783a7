/** The control API on the simulated farm, with its records on the disk and the history recorded, or with none. */
import { serveSubject } from '../measure.ts'
import { measuredServer, steeredFarm } from '../measured-server.ts'
import { forgetful, recorded } from '../records/kept.ts'

const [key = '', folder = ''] = process.argv.slice(2)
const farm = steeredFarm()
const records = folder === '' ? forgetful : await recorded(folder, farm)
const server = await measuredServer(farm, key, records)
serveSubject({ port: () => server.port })

import { docs } from '../described.ts'
import { fleetEndpoint } from '../endpoint.ts'
import { dashboardLink, noSuchFarm } from '../fleet.ts'

export const makeDashboardLink = fleetEndpoint('POST /farms/{farm}/dashboard-link', {
  tag: 'Fleet',
  operationId: 'makeDashboardLink',
  summary: docs(
    "Makes a key for one hour at a linked farm, and a link that opens the farm's dashboard with it; the farm's audit has a row",
  ),
  status: 201,
  result: dashboardLink,
  example: docs({
    url: 'https://edge.example/farms/meadow/#key=fg_6f1c2a9b03de_<secret>',
    expiresAt: '2026-11-21T13:00:00.000Z',
  }),
  problems: [
    'farm_not_found',
    'too_many_keys',
    'game_unavailable',
    'game_timeout',
    'unsupported',
    'bad_game_response',
  ],
  async handle({ farm }, fleet) {
    const link = await fleet.dashboardLink(farm)
    if (link === undefined) throw noSuchFarm(farm)
    return link
  },
})

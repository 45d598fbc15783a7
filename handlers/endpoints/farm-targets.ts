import * as v from 'valibot'
import { docs } from '../described.ts'
import { fleetEndpoint } from '../endpoint.ts'

export const farmTargets = fleetEndpoint('GET /farms/targets', {
  tag: 'Fleet',
  operationId: 'getFarmTargets',
  summary: docs("The farms as Prometheus's HTTP service discovery reads them"),
  result: v.array(
    v.object({
      targets: v.array(v.string()),
      labels: v.object({ __metrics_path__: v.string(), farm: v.string() }),
    }),
  ),
  example: docs([
    { targets: ['edge.example'], labels: { __metrics_path__: '/farms/meadow/metrics', farm: 'meadow' } },
  ]),
  handle: async (_request, { list, address: { host, basePath } }) =>
    (await list()).map(({ farm }) => ({
      targets: [host],
      labels: { __metrics_path__: `${basePath}/farms/${farm}/metrics`, farm },
    })),
})

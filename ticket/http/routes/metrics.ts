import type { Route } from './route.ts'

/** All metrics in the Prometheus text format. */
export const metrics: Route = {
  method: 'GET',
  paths: ['/metrics'],
  async handle(_request, services) {
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    return { status: 200, body: await services.metrics(), headers }
  },
}

/** The endpoints that answer a record as JSON; the others answer a stream. */
import type { Endpoint } from '../handlers/endpoint.ts'
import { endpoints } from '../handlers/endpoints/all-endpoints.ts'

export const recordEndpoints = endpoints.filter(
  (endpoint): endpoint is Extract<Endpoint, { readonly stream?: undefined }> => endpoint.stream === undefined,
)

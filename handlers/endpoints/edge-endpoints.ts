import type { EdgeEndpoint } from '../forwarded-endpoint.ts'
import { forwardedEndpoints } from './forwarded-endpoints.ts'
import { sharedEndpoints } from './shared-endpoints.ts'

/** Every endpoint of a farm, as the Worker knows it. */
export const edgeEndpoints: readonly EdgeEndpoint[] = [...sharedEndpoints, ...forwardedEndpoints]

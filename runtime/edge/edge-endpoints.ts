import { sharedEndpoints } from '../../handlers/endpoints/shared-endpoints.ts'
import type { EdgeEndpoint } from '../../handlers/forwarded-endpoint.ts'
import { forwardedEndpoints } from './forwarded-endpoints.ts'

/** Every endpoint of a farm, as the Worker knows it. */
export const edgeEndpoints: readonly EdgeEndpoint[] = [...sharedEndpoints, ...forwardedEndpoints]

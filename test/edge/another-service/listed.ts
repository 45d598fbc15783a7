import type { Endpoint } from '../../../handlers/endpoint.ts'
import { endpoints } from '../../../handlers/endpoints/all-endpoints.ts'
import { lawnEndpoints } from './lawn.ts'

const list = endpoints as Endpoint[]
list.push(...lawnEndpoints)

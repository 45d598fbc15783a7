/** An endpoint that only the farm answers, as its edge knows it: what a call needs before it is forwarded. */
import type { Access, BodyLimits, Endpoint, StreamDescription, Upload } from './endpoint.ts'
import type { Scope } from './key-holder.ts'

type Kept = Pick<Endpoint, 'method' | 'path' | 'operationId' | 'budget' | 'redirect' | 'endsSession'>

export type ForwardedEndpoint = Access &
  Kept & {
    readonly at: 'farm'
    /** Names of the query's parameters, for the audit row of a refused call. */
    readonly parameters: readonly string[]
    readonly body?: BodyLimits
    readonly upload?: Pick<Upload, 'type' | 'maxBytes'>
    readonly stream?: Pick<StreamDescription, 'type' | 'otherTypes'>
  }

type Least = Pick<ForwardedEndpoint, 'at' | 'method' | 'path' | 'operationId' | 'parameters'>

/** One that only the farm answers. @param who anyone, any key, or keys of a scope */
export function atFarm(
  method: Endpoint['method'],
  path: Endpoint['path'],
  who: 'public' | 'key' | Scope,
  operationId: string,
  parameters: readonly string[],
  more: Omit<Kept, keyof Least> & Partial<Pick<ForwardedEndpoint, 'body' | 'upload' | 'stream'>> = {},
): ForwardedEndpoint {
  const least: Least = { at: 'farm', method, path, operationId, parameters }
  if (who === 'public') return { ...least, access: who, ...more }
  return { ...least, access: 'key', ...(who !== 'key' && { scope: who }), ...more }
}

/** An endpoint as the edge knows it: whole, or only what a forwarded call needs. */
export type EdgeEndpoint = Endpoint | ForwardedEndpoint

/** @returns those that only the farm answers, as values that JSON can hold */
export const forwardedEndpoints = (endpoints: readonly Endpoint[]): readonly ForwardedEndpoint[] =>
  endpoints.filter((one) => one.at === 'farm').map(forwarded)

/** Names of the parameters that a query can have. */
export const parameterNames = ({ parameters }: Pick<EdgeEndpoint, 'parameters'>): readonly string[] =>
  Array.isArray(parameters) ? parameters : Object.keys(parameters)

function forwarded(endpoint: Endpoint & { readonly at: 'farm' }): ForwardedEndpoint {
  const { at, method, path, access, scope, operationId, budget, redirect, endsSession } = endpoint
  const { parameters, body, upload, stream } = endpoint
  return {
    at,
    method,
    path,
    ...(access === 'public' ? { access } : { access, ...(scope !== undefined && { scope }) }),
    operationId,
    parameters: Object.keys(parameters),
    ...(budget !== undefined && { budget }),
    ...(redirect && { redirect }),
    ...(endsSession && { endsSession }),
    ...(body !== undefined && {
      body: {
        ...(body.type !== undefined && { type: body.type }),
        ...(body.isOptional && { isOptional: true }),
        maxBytes: body.maxBytes,
      },
    }),
    ...(upload !== undefined && { upload: { type: upload.type, maxBytes: upload.maxBytes } }),
    ...(stream !== undefined && {
      stream: { type: stream.type, ...(stream.otherTypes && { otherTypes: stream.otherTypes }) },
    }),
  }
}

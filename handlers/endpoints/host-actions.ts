/** The three actions on the game's process. They are accepted at once, and run as an operation. */

import * as v from 'valibot'
import { docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import {
  type HostAction,
  type HostRequest,
  hostOperation,
  hostRequest,
  isFalling,
  loadRequest,
  someMinutes,
} from '../host-record.ts'
import { maxJsonBody, readStrict } from '../json-body.ts'
import { withoutKey } from '../key-holder.ts'
import { Problem } from '../problem.ts'

export const operationResult = v.object({ operation: hostOperation })

export const operationExample = docs({
  id: '6f1c2a9b03de',
  action: 'restart' as HostAction,
  when: 'empty' as const,
  state: 'waiting' as const,
  requestedAt: '2026-11-21T12:00:00.000Z',
  by: { id: 'api_key', name: 'API_KEY' },
  reason: 'New mods',
  steps: [{ state: 'waiting' as const, at: '2026-11-21T12:00:00.000Z' }],
})

const requestExample = docs({
  when: 'empty',
  warnMinutes: [10, 5, 1],
  backup: true,
  reason: 'New mods',
})

/** The body of an operation on the game. @param schema of its members */
export const operationBody = <Sent, Request extends Pick<HostRequest, 'warnMinutes'>>(
  schema: v.GenericSchema<Sent, Request>,
  example: object,
) =>
  ({
    type: 'application/json',
    schema,
    /** @throws {Problem} invalid_parameter */
    read(json: unknown): Request {
      const request = readStrict(schema, json)
      if (!isFalling(request.warnMinutes))
        throw new Problem('invalid_parameter', someMinutes, { parameter: 'warnMinutes' })
      return request
    },
    example,
    maxBytes: maxJsonBody,
  }) as const

/** An optional body: without one, the operation begins as with `{}`. */
const optionalBody = <Sent, Request extends Pick<HostRequest, 'warnMinutes'>>(
  schema: v.GenericSchema<Sent, Request>,
  example: object,
) => {
  const body = operationBody(schema, example)
  return {
    ...body,
    isOptional: true,
    read: (json: unknown, isEmpty: boolean): Request => body.read(isEmpty ? {} : json),
  } as const
}

/** The body of an action that stops or starts the game. */
const hostBody = optionalBody(hostRequest, docs({ ...requestExample, force: false }))
/** The body of an action that loads another save; it has no `force`. */
export const loadBody = optionalBody(loadRequest, requestExample)

/** Of an operation that cannot begin because another one runs. */
export const operationRunning = {
  code: 'operation_running',
  schema: v.object({ operation: v.optional(hostOperation) }),
  example: docs({ operation: operationExample }),
} as const

/** @param done the effect on the game, for a summary */
const gameAction = <const Action extends HostAction>(action: Action, done: string) =>
  endpoint(`POST /host/${action}`, {
    at: 'farm',
    scope: 'control',
    tag: 'Host',
    operationId: `${action}Game`,
    summary: docs(`${done}; answers with the operation that has begun`),
    body: hostBody,
    status: 202,
    result: operationResult,
    example: docs({ operation: { ...operationExample, action } }),
    problems: [
      action === 'start' ? 'already_running' : 'not_running',
      'operation_running',
      'host_unavailable',
      'unsupported',
    ],
    problemMembers: [operationRunning],
    async handle({ body, holder: { id, name } = withoutKey }, { host }) {
      return { operation: await host.beginOperation(action, body, { id, name }) }
    },
  })

export const startGame = gameAction('start', 'Starts the game')
export const stopGame = gameAction('stop', 'Stops the game after warnings and a backup, never while it saves')
export const restartGame = gameAction(
  'restart',
  'Restarts the game after warnings and a backup, never while it saves',
)

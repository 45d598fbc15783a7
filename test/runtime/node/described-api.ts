/** A server and its documents, with a validator of values against their schemas. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import * as v from 'valibot'
import { afterAll, expect } from 'vitest'
import { ask } from '../../contract/request.ts'
import { type NodeServer, nodeServer } from './node-server.ts'

const media = v.looseObject({ schema: v.looseObject({}), example: v.optional(v.unknown()) })
const operation = v.looseObject({
  operationId: v.string(),
  summary: v.string(),
  security: v.optional(v.array(v.record(v.string(), v.unknown()))),
  parameters: v.optional(
    v.array(
      v.looseObject({
        name: v.string(),
        in: v.string(),
        required: v.boolean(),
        description: v.string(),
        schema: v.looseObject({}),
        example: v.optional(v.unknown()),
      }),
    ),
    [],
  ),
  responses: v.record(
    v.string(),
    v.looseObject({
      description: v.string(),
      headers: v.optional(v.record(v.string(), v.unknown())),
      content: v.optional(v.record(v.string(), media)),
    }),
  ),
})
const openApi = v.looseObject({
  paths: v.record(v.string(), v.record(v.string(), operation)),
  components: v.looseObject({ schemas: v.record(v.string(), v.looseObject({})) }),
})
const asyncApi = v.looseObject({
  channels: v.object({
    ws: v.looseObject({
      messages: v.record(
        v.string(),
        v.looseObject({
          payload: v.looseObject({}),
          examples: v.array(v.looseObject({ payload: v.unknown() })),
        }),
      ),
    }),
  }),
})

const ajv = new Ajv2020({ strict: false, formats: { int64: true } })
formats.default(ajv)

export interface DescribedApi {
  readonly server: NodeServer
  /** `/openapi.json` */
  readonly described: v.InferOutput<typeof openApi>
  /** `/asyncapi.json` */
  readonly chat: v.InferOutput<typeof asyncApi>
  operationOf(method: string, path: string): v.InferOutput<typeof operation>
  /** Where a value does not fit a schema of the document. */
  misfits(schema: object, value: unknown): unknown
}

/** The server is stopped after the tests of the file. */
export async function describedApi(): Promise<DescribedApi> {
  const server = await nodeServer()
  afterAll(() => server.stop())
  const described = v.parse(openApi, (await ask(server, 'GET', '/openapi.json')).json)
  return {
    server,
    described,
    chat: v.parse(asyncApi, JSON.parse((await ask(server, 'GET', '/asyncapi.json')).text)),
    operationOf: (method, path) =>
      described.paths[path]?.[method.toLowerCase()] ?? expect.fail(`${method} ${path} is not described`),
    misfits(schema, value) {
      const validate = ajv.compile({ ...schema, components: described.components })
      return validate(value) ? null : validate.errors
    },
  }
}

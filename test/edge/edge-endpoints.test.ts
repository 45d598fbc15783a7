import { expect, test } from 'vitest'
import { endpoints } from '../../handlers/endpoints/all-endpoints.ts'
import { edgeEndpoints } from '../../handlers/endpoints/edge-endpoints.ts'

test('the edge knows every endpoint of a farm', () => {
  const ids = (known: readonly { readonly operationId: string }[]) =>
    known.map(({ operationId }) => operationId).sort()
  expect(ids(edgeEndpoints)).toEqual(ids(endpoints))
})

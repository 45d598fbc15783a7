import * as v from 'valibot'
import { described, docs } from '../described.ts'
import { endpoint } from '../endpoint.ts'
import { account, scope } from '../key-record.ts'

const record = described(
  docs('The key or session of the caller.'),
  v.object({
    id: described(docs('`api_key` for API_KEY, `no_key` where no key is set.'), v.string()),
    name: v.string(),
    scopes: v.array(scope),
    account: v.exactOptional(account),
  }),
)

const example: v.InferOutput<typeof record> = docs({
  id: '6f1c2a9b03de',
  name: 'Robin, moderator',
  scopes: ['read', 'chat', 'control'],
})

export const ownKey = endpoint('GET /keys/own', {
  tag: 'Keys',
  operationId: 'getOwnKey',
  summary: docs('What the key or session of this request allows; any that is valid may ask'),
  result: record,
  example,
  handle({ holder }) {
    if (holder === undefined) throw new Error('the gate admits no one here without a key')
    const { id, name, scopes, account } = holder
    return { id, name, scopes: [...scopes], ...(account !== undefined && { account }) }
  },
})

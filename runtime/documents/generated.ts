/** The documents of the API and the script of their page, made from the endpoints and the messages of `/ws`. */
import { stringifyJson } from '../../lib/json.ts'
import { asyncApi } from './asyncapi.ts'
import { type GeneratedName, rootMark } from './generated-name.ts'
import { openApi } from './openapi.ts'
import { referenceScript } from './reference-script.ts'

const made: Readonly<Record<GeneratedName, () => string>> = {
  'openapi.json': () => stringifyJson(openApi(rootMark)),
  'asyncapi.json': () => stringifyJson(asyncApi()),
  'start.js': () => referenceScript,
}

export const generated = (name: GeneratedName): string => made[name]()

/** What the user can do about each failure, by its code: the API's own fixes, and those of the client and the chat. */
import { isProblemCode, problemTable } from '../../handlers/problem-table.ts'

export function remedyOf(code: string): string | undefined {
  if (isProblemCode(code)) return problemTable[code].fix
  return Object.hasOwn(remedies, code) ? remedies[code] : undefined
}

const address = 'Check the address, and that farmgate runs there; farmgate doctor looks for the cause.'
const versions = 'The farm has another version: farmgate doctor shows both. Update the older one.'

const remedies: Readonly<Record<string, string>> = {
  unreachable: address,
  timeout: address,
  bad_answer:
    'Check the address: it is the one in front of /status, with the path of the farm if it has one.',
  invalid_payload: 'Say a text of at most 4000 characters, by an author of at most 32.',
  message_too_long: 'Say it in several lines.',
  malformed: versions,
  unknown_type: versions,
  unknown_topic: versions,
  outcome_unknown: 'Look whether the line was said before you say it again.',
}

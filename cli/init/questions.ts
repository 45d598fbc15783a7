/** The questions of `farmgate init`. */
import * as v from 'valibot'
import { isUserName } from '../../lib/platform-user-name.ts'
import { variables } from '../../runtime/node/variables.ts'

export interface Question {
  /** Information before the answer. */
  readonly about: string
  readonly ask: string
  readonly isHidden: boolean
  /** Validates the answer; an empty answer is not validated. */
  readonly schema: v.GenericSchema<string, unknown>
}

/** A value that needs no quotes in `.env`, whether Docker Compose, a shell or systemd reads it. */
const plain = v.pipe(
  v.string(),
  v.regex(
    /^[\p{L}\p{N}._:/@%+=,-]*$/u,
    'use letters, digits and . _ : / @ % + = , - only: anything else needs quotes in .env',
  ),
)

const yesOrNo = v.pipe(v.string(), v.toLowerCase(), v.picklist(['y', 'yes', 'n', 'no'], 'type y or n'))

/** In the order of the questions. An empty answer stands for the default, which `ask` names. */
export const questions = {
  account: {
    about:
      'The server needs a separate Steam account that owns the game: an account that plays cannot run the server too.',
    ask: 'Name of that account (Enter: the sign-in asks): ',
    isHidden: false,
    schema: v.pipe(plain, v.check(isUserName, 'use the account name as on the sign-in page')),
  },
  joinPassword: {
    about: 'Players type a password once to join: !login and the password.',
    ask: 'Join password (Enter: one is made; none: anyone with the invite code can join): ',
    isHidden: false,
    schema: v.pipe(
      plain,
      v.check(
        (text) => text === 'none' || text.length >= 6,
        'use 6 or more characters: everyone with the invite code can guess',
      ),
      v.maxLength(64, 'use at most 64 characters'),
    ),
  },
  publicInviteCodes: {
    about: 'The invite code can be shown to anyone who reaches the control API, also without its key.',
    ask: 'Show it to anyone? (y or n, Enter: n): ',
    isHidden: false,
    schema: yesOrNo,
  },
  allowRestore: {
    about: 'To restore a backup, farmgate must be able to write to the saves.',
    ask: 'Allow it? (y or n, Enter: n): ',
    isHidden: false,
    schema: yesOrNo,
  },
  domain: {
    about:
      'The control API and its dashboard are reachable from this machine only, or by HTTPS under a name.',
    ask: 'Name that points to this machine, such as farm.example (Enter: this machine only): ',
    isHidden: false,
    schema: v.pipe(
      v.string(),
      v.regex(
        /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i,
        'use a name such as farm.example, without https:// and without a path',
      ),
    ),
  },
  edgeUrl: {
    about: 'An edge gives a farm at home a public address without an open port (/help/edge).',
    ask: 'Address of the edge, such as https://edge.example/farms/clover (Enter: none): ',
    isHidden: false,
    schema: v.pipe(plain, v.nonOptional(variables.schema.entries.EDGE_URL)),
  },
  edgeLinkKey: {
    about: 'The link key is what the edge knows this farm by.',
    ask: 'Link key of the farm there (Enter: one is made; not shown): ',
    isHidden: true,
    schema: v.pipe(plain, v.minLength(16, 'use 16 or more characters')),
  },
} satisfies Record<string, Question>

export type QuestionName = keyof typeof questions

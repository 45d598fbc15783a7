/** The thread that reads a zip of mods; `archive-apart.ts` starts it. */
import { answerApart } from '../archives/answer-apart.ts'
import { modArchiveCalls } from './archive-calls.ts'

answerApart(modArchiveCalls)

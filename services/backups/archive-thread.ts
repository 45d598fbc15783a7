/** The thread that writes a large archive, or reads one back; `archive-apart.ts` starts it. */
import { answerApart } from '../archives/answer-apart.ts'
import { archiveCalls } from './archive-calls.ts'

answerApart(archiveCalls)

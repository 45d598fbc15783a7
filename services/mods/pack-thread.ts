/** The thread that writes the pack; `kept-pack.ts` starts it. */
import { answerApart } from '../archives/answer-apart.ts'
import { packCalls } from './pack-calls.ts'

answerApart(packCalls)

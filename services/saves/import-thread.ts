/** The thread that reads what an import brings; `import-apart.ts` starts it. */
import { answerApart } from '../archives/answer-apart.ts'
import { importCalls } from './import-calls.ts'

answerApart(importCalls)

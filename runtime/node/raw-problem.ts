import { randomUUID } from 'node:crypto'
import type { Problem } from '../../handlers/problem.ts'
import { rawMessage } from '../../lib/raw-response.ts'
import { problemMessage } from '../http/answer.ts'

/** An error as HTTP/1.1 bytes, the last of their connection. */
export function rawProblem(problem: Problem, requestId: string = randomUUID()): Buffer {
  const { status, headers, body } = problemMessage(problem, requestId)
  return rawMessage(status, Object.entries(headers), Buffer.from(body ?? ''))
}

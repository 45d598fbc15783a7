/** What the control API serves besides its endpoints, as operations of the OpenAPI document. */
import { auditEntry } from '../../handlers/audit-entry.ts'
import { auditFilter } from '../../handlers/endpoints/audit.ts'
import { backupId } from '../../handlers/endpoints/delete-backup.ts'
import type { Parameter } from '../../handlers/parameter.ts'
import { jsonLines } from '../http/audit-export.ts'
import { jsonSchemaOf } from './json-schema.ts'
import { needs, queryParameter } from './operation.ts'
import { everywhere, problemResponses, whereAKeyIsNeeded } from './problem-responses.ts'

const text = (description: string, type: string) => ({
  200: { description, content: { [type]: { schema: { type: 'string' } } } },
  ...problemResponses(everywhere),
})

const archive = (status: number, description: string) => ({
  [status]: { description, content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } },
})

export const pathsBeside = [
  {
    path: '/metrics',
    method: 'get',
    operationId: 'getMetrics',
    summary: 'Prometheus metrics',
    tags: ['Server'],
    ...needs('read'),
    responses: { ...text('Prometheus text', 'text/plain'), ...problemResponses(whereAKeyIsNeeded) },
  },
  {
    path: '/audit/export',
    method: 'get',
    operationId: 'exportAudit',
    summary: 'The whole audit, one row as JSON in each line, newest first',
    tags: ['Audit'],
    ...needs('admin'),
    parameters: Object.entries<Parameter<unknown>>(auditFilter).map(queryParameter),
    responses: {
      200: {
        description: 'Rows of the audit',
        content: { [jsonLines]: { schema: jsonSchemaOf(auditEntry) } },
      },
      ...problemResponses(['invalid_parameter', 'game_unavailable', ...whereAKeyIsNeeded, ...everywhere]),
    },
  },
  {
    path: '/backups/download',
    method: 'get',
    operationId: 'downloadBackup',
    summary: 'The archive of a backup, a zip; a header Range asks for a part of it',
    tags: ['Backups'],
    ...needs('admin'),
    parameters: Object.entries<Parameter<unknown>>(backupId).map(queryParameter),
    responses: {
      ...archive(200, 'The archive'),
      ...archive(206, 'The range that was asked for'),
      ...problemResponses([
        'invalid_parameter',
        'backup_not_found',
        'range_not_satisfiable',
        'game_unavailable',
        'disk_failed',
        ...whereAKeyIsNeeded,
        ...everywhere,
      ]),
    },
  },
  {
    path: '/discord/interactions',
    method: 'post',
    operationId: 'answerDiscord',
    summary: 'Commands of /farm in Discord, which signs each request (docs/discord.md)',
    tags: ['Discord'],
    security: [{}],
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: {
      200: {
        description: 'A message',
        content: { 'application/json': { schema: { type: 'object' }, example: { type: 1 } } },
      },
      ...problemResponses([
        'malformed_request',
        'unauthorized',
        'origin_not_allowed',
        'not_found',
        'payload_too_large',
        ...everywhere,
      ]),
    },
  },
  {
    path: '/ws',
    method: 'get',
    operationId: 'openChat',
    summary: 'The chat relay: open it as a WebSocket and authenticate by message (asyncapi.json)',
    tags: ['Server'],
    security: [{}],
    responses: {
      101: { description: 'Switching protocols' },
      ...problemResponses([
        'malformed_request',
        'origin_not_allowed',
        'upgrade_required',
        'too_many_clients',
        ...everywhere,
      ]),
    },
  },
] as const

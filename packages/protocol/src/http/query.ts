import { z } from 'zod'
import { endpoints } from './endpoint.ts'

const connectionSchema = z.object({
  name: z.string(),
  type: z.enum(['postgres', 'mysql', 'sqlite', 'troupe']),
  writable: z.boolean().describe('true if agents may ask to change data'),
})

export const queryEndpoints = endpoints({
  'GET /ai/connections': {
    summary: 'Lists the connections of the config by name and type. Addresses and passwords are not returned.',
    answers: { 200: z.object({ connections: z.array(connectionSchema) }) },
  },
  'POST /ai/query/export': {
    summary: 'Runs a statement that only reads, and returns all its rows as a file.',
    scoped: true,
    body: z.object({
      sql: z.string().min(1).max(100_000),
      connection: z.string().max(4096).optional().describe('default: the files that the statement names'),
      format: z.enum(['csv', 'xlsx', 'parquet']),
      sessionId: z.string().max(100).describe('relative names start at the working directory of this session'),
    }),
    gives: ['bytes'],
    answers: { 200: 'the file', 422: 'QueryFailed' },
  },
})

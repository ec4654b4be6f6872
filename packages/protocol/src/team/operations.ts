import { z } from 'zod'
import { endpoints } from '../http/endpoint.ts'

const readinessSchema = z.object({
  ok: z.boolean(),
  checks: z.object({
    store: z.boolean().describe('the database answers'),
    migrations: z.boolean().describe('the database has the version of this program'),
    draining: z.boolean().describe('the server is about to end'),
  }),
})

export const operationEndpoints = endpoints({
  'GET /ready': {
    summary: 'Says whether the server can take requests. For load balancers.',
    access: { on: 'open' },
    answers: { 200: readinessSchema, 503: readinessSchema },
  },
  'GET /metrics': {
    summary:
      'Returns metrics for Prometheus: in team mode, or with "metrics" in the config. Needs TROUPE_METRICS_TOKEN as a bearer token, or without one a request from this machine.',
    access: { on: 'open' },
    gives: ['bytes'],
    answers: { 200: 'metrics as text', 401: 'Unauthorized', 404: 'NotFound' },
  },
  'GET /ai/admin/overview': {
    access: { on: 'organization', right: 'manage' },
    summary: 'Returns nodes, runs, slow queries, errors and versions, for admins.',
    answers: {
      200: z.object({
        versions: z.object({ troupe: z.string(), node: z.string() }),
        nodes: z.array(
          z.object({
            id: z.string(),
            version: z.string(),
            startedAt: z.number(),
            draining: z.boolean(),
            labels: z.array(z.string()),
          }),
        ),
        queueDepth: z.number().describe('runs that wait for a node'),
        runs: z
          .array(z.object({ id: z.string(), sessionId: z.string(), status: z.string() }))
          .describe('of this node, at most 500'),
        slowQueries: z
          .array(z.object({ at: z.number(), ms: z.number(), sql: z.string() }))
          .describe('of this node, newest first'),
        errors: z
          .array(z.object({ at: z.number(), message: z.string(), detail: z.record(z.string(), z.unknown()) }))
          .describe('of this node, newest first'),
      }),
    },
  },
})

import { z } from 'zod'
import { endpoints } from './endpoint.ts'

export const healthEndpoints = endpoints({
  'GET /health': {
    summary: 'Says whether the server is up.',
    open: true,
    answers: { 200: z.object({ ok: z.literal(true), version: z.string() }) },
  },
  'GET /ai/openapi.json': {
    summary: 'Returns this reference as OpenAPI 3.1.',
    answers: {
      200: z.object({
        openapi: z.string(),
        info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
        servers: z.array(z.object({ url: z.string() })),
        paths: z
          .record(z.string(), z.record(z.string(), z.unknown()))
          .describe('by path and lowercase method: operations of OpenAPI'),
        components: z.object({
          securitySchemes: z.record(z.string(), z.unknown()),
          schemas: z.record(z.string(), z.unknown()),
        }),
      }),
    },
  },
})

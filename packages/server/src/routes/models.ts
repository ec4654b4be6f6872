import { modelListSchema } from '@troupe/core'
import { z } from 'zod'
import type { Models } from '../models.ts'
import { answer, route, type Route } from '../route.ts'

export function modelRoutes({
  models,
  defaultModel,
}: {
  models: Models
  defaultModel: () => Promise<string | null>
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/ai/models',
      summary: 'Models that can be used now; with ?all=1 every known one.',
      query: z.object({ all: z.string().optional() }),
      answers: { 200: modelListSchema },
      handle: async (c, { query }) =>
        answer(c, modelListSchema, {
          models: await models.listModels({ all: query['all'] === '1' }),
          defaultModel: await defaultModel(),
        }),
    }),
  ]
}

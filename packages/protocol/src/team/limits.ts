import { z } from 'zod'
import { endpoints } from '../http/endpoint.ts'

const limitSchema = z
  .strictObject({
    day: z.number().nonnegative().max(1e9).describe('US dollars that model calls may cost per day'),
    month: z.number().nonnegative().max(1e9).describe('US dollars per month'),
    requestsPerMinute: z.int().nonnegative().max(1e6).describe('answers that may start per minute'),
    concurrentRuns: z.int().nonnegative().max(1e6).describe('answers that may run at a time'),
  })
  .partial()

const scopeSchema = z
  .strictObject({
    default: limitSchema.describe('for each that is not listed; a listed one overrides single fields'),
    byId: z.record(z.string().max(4096), limitSchema),
  })
  .partial()

/** Budgets and rates. The budget of the whole organization is in its settings. */
export const limitsSchema = z
  .strictObject({
    people: scopeSchema.describe('by id of the person'),
    workspaces: scopeSchema.describe('by path of the folder'),
    models: scopeSchema.describe('by provider/model'),
  })
  .partial()
export type TeamLimitSettings = z.infer<typeof limitsSchema>

const stateSchema = z.object({ limits: limitsSchema, version: z.number() })

/** Only in team mode. */
export const limitEndpoints = endpoints({
  'GET /ai/limits': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Returns the budgets and rates of people, workspaces and models.',
    answers: { 200: stateSchema, 404: 'NotTeam' },
  },
  'PATCH /ai/limits': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Replaces them. Changes take effect with the next model call.',
    body: z.strictObject({ limits: limitsSchema }),
    answers: { 200: stateSchema, 404: 'NotTeam' },
  },
})

import { z } from 'zod'
import { idSchema } from '../ids.ts'
import { endpoints } from './endpoint.ts'

export const modeSchema = z.enum(['default', 'accept-edits', 'plan', 'bypass'])
/** The server validates the mode, so the error can list the valid ones. */
export const modeNameSchema = z.string().max(50).describe('default, accept-edits, plan or bypass')

export const effectSchema = z.enum(['allow', 'ask', 'deny'])
export const rememberScopeSchema = z.enum(['session', 'project', 'always'])
const ruleTextSchema = z.string().min(1).max(2000)
export const ruleTextsSchema = z.array(ruleTextSchema).max(1000).optional()

const ruleSchema = z.object({
  id: z.string(),
  text: z.string(),
  effect: effectSchema,
  layer: z.enum(['managed', 'user', 'project', 'session', 'flag']),
  file: z.string().nullable().describe('null if the rule is stored with its session'),
  editable: z.boolean().describe('false if the file can only be edited by hand'),
  own: z.boolean().optional().describe('true if only your own chats follow the rule'),
  problem: z.string().optional().describe('why the rule cannot be parsed'),
})
export type RuleInfo = z.infer<typeof ruleSchema>

const ruleListSchema = z.object({
  rules: z.array(ruleSchema),
  warnings: z.array(z.string()).describe('problems with rules or their files, as sentences'),
  mode: modeSchema.describe('the mode of new sessions'),
  bypass: z.boolean().describe('whether sessions may use the mode that never asks'),
  sandbox: z.object({
    available: z.boolean(),
    text: z.string(),
    fix: z.string().optional().describe('how to get a sandbox'),
  }),
})
export type RuleList = z.infer<typeof ruleListSchema>

const changedRuleSchema = z.object({
  rule: ruleSchema.optional().describe('absent if the rule was removed again meanwhile'),
  settled: z.array(z.string()).describe('ids of open asks that the rule approved'),
  warnings: z.array(z.string()).describe('likely mistakes in the rule, as sentences'),
})

const decisionSchema = z.object({
  decision: effectSchema,
  reason: z.string(),
  rule: z.string().nullable().describe('the rule that decided; null for a default'),
  remember: z
    .array(z.string())
    .readonly()
    .optional()
    .describe('rules that would allow similar calls; absent if none is safe'),
  commands: z
    .array(z.object({ text: z.string(), note: z.string().optional() }))
    .readonly()
    .optional()
    .describe('the commands that a shell call runs'),
})
export type DecisionInfo = z.infer<typeof decisionSchema>

const decisionCountsSchema = z.object({ allow: z.number(), ask: z.number(), deny: z.number() })

const ruleTrialSchema = z.object({
  calls: z.number().describe('how many calls were compared'),
  before: decisionCountsSchema,
  after: decisionCountsSchema,
  changed: z.number(),
  changes: z
    .array(
      z.object({
        sessionId: z.string(),
        toolCallId: z.string(),
        toolName: z.string(),
        input: z.unknown(),
        model: z.string().optional(),
        createdAt: z.number(),
        before: decisionSchema,
        after: decisionSchema,
      }),
    )
    .describe('the first 200 changed calls, with long texts cut'),
  warnings: z.array(z.string()).describe('likely mistakes in the rules, as sentences'),
})
export type RuleTrial = z.infer<typeof ruleTrialSchema>

const bySession = z.object({ sessionId: z.string().max(64).optional() })

export const ruleEndpoints = endpoints({
  'GET /ai/rules': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Lists the rules of the workspace, or of one session, with the mode and the sandbox.',
    query: bySession,
    scoped: true,
    answers: { 200: ruleListSchema, 404: 'SessionNotFound' },
  },
  'POST /ai/rules': {
    access: { on: 'rules', right: 'write' },
    summary: 'Adds a rule for a session, the project or always. Approves the open asks that it covers.',
    body: z.strictObject({
      text: ruleTextSchema,
      effect: effectSchema.default('allow'),
      scope: rememberScopeSchema,
      own: z.boolean().optional().describe('in team mode: only for your own chats'),
      sessionId: idSchema.optional(),
    }),
    scoped: true,
    answers: { 201: changedRuleSchema, 400: 'BadRequest', 404: 'SessionNotFound', 422: 'BadRule' },
  },
  'PATCH /ai/rules/:id': {
    access: { on: 'rules', right: 'write' },
    summary: 'Changes the text, the effect or the scope of a rule.',
    body: z.strictObject({
      text: ruleTextSchema.optional(),
      effect: effectSchema.optional(),
      scope: rememberScopeSchema.optional(),
      sessionId: idSchema.optional(),
    }),
    scoped: true,
    answers: {
      200: changedRuleSchema,
      403: 'RuleNotEditable',
      404: 'RuleNotFound, SessionNotFound',
      422: 'BadRule',
    },
  },
  'DELETE /ai/rules/:id': {
    access: { on: 'rules', right: 'write' },
    summary: 'Removes a rule.',
    query: bySession,
    scoped: true,
    answers: {
      200: z.object({ deleted: z.string() }),
      403: 'RuleNotEditable',
      404: 'RuleNotFound, SessionNotFound',
    },
  },
  'POST /ai/rules/test': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Tests rules against the last 1,000 calls of the workspace. Saves nothing.',
    body: z.strictObject({
      text: ruleTextSchema.optional(),
      effect: effectSchema.default('allow'),
      scope: rememberScopeSchema
        .default('project')
        .describe("the base of the rules' paths: the workspace, or the home folder for always"),
      rules: z
        .array(z.strictObject({ text: ruleTextSchema, effect: effectSchema }))
        .max(1000)
        .optional(),
      sessionId: idSchema.optional(),
    }),
    scoped: true,
    answers: { 200: ruleTrialSchema, 404: 'SessionNotFound', 422: 'BadRule' },
  },
  'POST /ai/rules/explain': {
    access: { on: 'workspace', right: 'read' },
    summary: 'Says how calls would be decided, and why.',
    body: z.strictObject({
      calls: z.array(z.strictObject({ tool: z.string().min(1).max(200), input: z.unknown() })).max(10_000),
      sessionId: idSchema.optional(),
      mode: modeNameSchema.optional(),
      sandbox: z.boolean().optional(),
      allow: ruleTextsSchema,
      ask: ruleTextsSchema,
      deny: ruleTextsSchema,
    }),
    scoped: true,
    answers: {
      200: z.object({ decisions: z.array(decisionSchema) }),
      403: 'BypassNotAllowed',
      404: 'SessionNotFound',
      422: 'UnknownMode, BadRule',
    },
  },
})

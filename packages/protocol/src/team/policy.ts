import { z } from 'zod'
import { endpoints } from '../http/endpoint.ts'
import { modeSchema, ruleTextsSchema } from '../http/rules.ts'

const patternsSchema = z.array(z.string().trim().min(1).max(500)).max(1000)

/** Policy that admins set for the whole organization. An absent list restricts nothing. */
export const policySchema = z.strictObject({
  permissions: z
    .strictObject({ allow: ruleTextsSchema, ask: ruleTextsSchema, deny: ruleTextsSchema })
    .optional()
    .describe('rules; deny and ask rules apply to everyone, whatever rules they have'),
  ignoreAllowRules: z.boolean().optional().describe('allow rules of members, projects and chats have no effect'),
  mode: modeSchema.optional().describe('the mode of new chats'),
  modes: z.array(modeSchema).max(4).optional().describe('the modes that may be used; plan is always allowed'),
  models: patternsSchema.optional().describe('the models that may be used, as provider/model; * matches any text'),
  mcpServers: patternsSchema
    .optional()
    .describe(
      "the MCP servers that folders may add, by URL or by command with arguments; * matches any text. The organization's own are always allowed",
    ),
  hosts: patternsSchema.optional().describe('the hosts that tools and the browser may reach, with their subdomains'),
  deniedHosts: patternsSchema.optional().describe('hosts that they may not reach'),
  tools: patternsSchema.optional().describe('the tools that may run, for example Read, Bash or mcp__files'),
  deniedTools: patternsSchema.optional().describe('tools that may not run'),
  ownKeys: z.boolean().optional().describe('false: members may not use their own provider keys'),
})
export type TeamPolicy = z.infer<typeof policySchema>

const policyStateSchema = z.object({ policy: policySchema, version: z.number() })

/** Only in team mode. */
export const policyEndpoints = endpoints({
  'GET /ai/policy': {
    access: { on: 'organization', right: 'read' },
    team: true,
    summary: 'Returns the policy of the organization, which everybody may read.',
    answers: { 200: policyStateSchema, 404: 'NotTeam' },
  },
  'PATCH /ai/policy': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Replaces the policy. It takes effect immediately, on all nodes and in running chats.',
    body: z.strictObject({
      policy: policySchema,
      version: z.number().int().nonnegative().describe('of the policy that was edited'),
    }),
    answers: { 200: policyStateSchema, 404: 'NotTeam', 409: 'PolicyChanged', 422: 'BadPolicy' },
  },
  'POST /ai/policy/preview': {
    access: { on: 'organization', right: 'manage' },
    team: true,
    summary: 'Compares a policy with the current one, on the tool calls, models and modes of late. Changes nothing.',
    scoped: true,
    body: z.strictObject({ policy: policySchema }),
    answers: {
      200: z.object({
        checked: z.number().describe('tool calls'),
        calls: z
          .array(
            z.object({
              tool: z.string(),
              input: z.string().describe('shortened'),
              before: z.enum(['allow', 'ask', 'deny']),
              after: z.enum(['allow', 'ask', 'deny']),
              reason: z.string(),
              count: z.number(),
            }),
          )
          .describe('tool calls that would be decided in another way, the most frequent first, at most 50'),
        models: z.array(z.string()).describe('models used in the last 30 days that would be refused from now on'),
        mcpServers: z.array(z.string()).describe('MCP servers that would not start'),
        modes: z.array(z.object({ mode: modeSchema, chats: z.number() })).describe('modes that chats could not use'),
      }),
      404: 'NotTeam',
      422: 'BadPolicy',
    },
  },
})

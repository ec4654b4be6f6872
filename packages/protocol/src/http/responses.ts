import { z } from 'zod'
import { paramValuesSchema } from '../params.ts'

/** Response schemas. They generate the API reference and type the handlers and the page. */

const agentSchema = z.object({
  name: z.string(),
  description: z.string(),
  source: z.enum(['built-in', 'database', 'home', 'project']),
  enabled: z.boolean(),
  note: z.string().optional().describe('why it cannot be used, or what should be looked at'),
  systemPrompt: z.string(),
  languages: z.array(z.string()).describe('languages that it has a prompt of its own for'),
  tools: z.array(z.string()).readonly().describe('names of tools and of groups'),
  allowedSubAgents: z.array(z.string()).readonly().optional().describe('absent: the default set; empty: nobody'),
  model: z.string().optional(),
  maxDepth: z.number().optional(),
  maxSteps: z.number().optional(),
  budget: z
    .object({
      steps: z.number().optional(),
      tokens: z.number().optional(),
      cost: z.number().optional(),
      ms: z.number().optional(),
    })
    .optional(),
  params: paramValuesSchema.optional(),
  pageIds: z.array(z.string()).readonly().optional(),
  hidden: z.literal(true).optional().describe('offered nowhere; whoever names it has it all the same'),
  turnedOff: z.literal(true).optional().describe('the person turned it off'),
  path: z.string().optional().describe('the file that it comes from'),
})
export type AgentInfo = z.infer<typeof agentSchema>

/** `GET /ai/agents`. `problems`: files that could not be read. */
export const agentListSchema = z.object({
  agents: z.array(agentSchema),
  problems: z.array(z.object({ path: z.string(), message: z.string() })),
})
export type AgentList = z.infer<typeof agentListSchema>

import { type ParamValues, paramValuesSchema } from '@troupe/protocol'
import { parseDocument } from 'yaml'
import { z } from 'zod'

/** Limits of one turn, including its sub-agents. */
export interface Budget {
  /** Model calls. */
  steps?: number
  tokens?: number
  /** In the currency of the model's price list. */
  cost?: number
  ms?: number
}

/** Agent definition: a prompt and a selection of existing tools. Contains no code. */
export interface AgentDefinition {
  name: string
  /** Tells the delegating model when to use this agent. */
  description: string
  prompt: string
  /** Names of tools or capability groups. */
  tools: readonly string[]
  /** Agents it may delegate to. Absent: the default set. Empty: none. */
  allowedSubAgents?: readonly string[]
  /** `provider/model`. Defaults to the parent's model. */
  model?: string
  maxDepth?: number
  /** Maximum model calls per turn, not counting sub-agents. */
  maxSteps?: number
  budget?: Budget
  /** Model settings, applied if the model has them. The person's own settings take precedence. */
  params?: ParamValues
  /** Offered only while one of these pages is open. Absent or empty: always. */
  pageIds?: readonly string[]
  /** Not listed, but can be called by name. */
  hidden?: true
}

/**
 * Stored with a sub-agent: built from a shipped or stored definition (`system`), defined by the caller (`dynamic`), or
 * neither (`default`).
 */
export type AgentType = 'system' | 'dynamic' | 'default'

const frontMatter = z.strictObject({
  name: z.string().optional(),
  description: z.string().min(1).max(1024),
  groups: names().optional(),
  tools: names().optional(),
  agents: names().optional(),
  needs: names().optional(),
  model: z.string().min(1).max(300).optional(),
  maxDepth: z.int().positive().max(20).optional(),
  maxSteps: z.int().positive().max(1000).optional(),
  budget: z
    .strictObject({
      steps: z.int().positive().optional(),
      tokens: z.int().positive().optional(),
      cost: z.number().positive().optional(),
      seconds: z.number().positive().optional(),
    })
    .optional(),
  params: paramValuesSchema.optional(),
  pages: names().optional(),
  hidden: z.boolean().optional(),
})

/** Definition from a file. `needs` lists the tool groups the agent requires. */
type AgentFile = AgentDefinition & { needs: readonly string[] }

/** Letters of any language. No slashes, dots, or spaces. */
export const agentNamePattern = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u

/**
 * Parses `agents/<name>.md`: YAML front matter, then the prompt. Throws an Error that names the problem and, if known,
 * the line.
 */
export function parseAgentFile(text: string, name: string): AgentFile {
  if (!agentNamePattern.test(name))
    throw new Error(`"${name}" is not a valid agent name. Use up to 64 letters, digits, "-" and "_"`)
  const { matter, body } = splitFrontMatter(text)
  const document = parseDocument(matter)
  const fault = document.errors[0]
  if (fault !== undefined)
    throw new Error(`line ${(fault.linePos?.[0].line ?? 0) + 1}: ${fault.message.split('\n')[0]}`)
  const data: unknown = document.toJS() ?? {}
  const parsed = frontMatter.safeParse(data)
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path: at, message }) => {
      const isMissing = at.length === 1 && typeof data === 'object' && !(String(at[0]) in (data ?? {}))
      return isMissing ? `"${String(at[0])}" is missing` : `${at.map(String).join('.') || 'front matter'}: ${message}`
    })
    throw new Error(issues.join('; ').replace(/\s+/g, ' ').slice(0, 400).toWellFormed())
  }
  if (body === '') throw new Error('there is no prompt after the front matter')
  const {
    description,
    groups,
    tools,
    agents,
    needs = [],
    model,
    maxDepth,
    maxSteps,
    budget,
    params,
    pages,
    hidden,
  } = parsed.data
  return {
    name,
    description,
    prompt: body,
    needs,
    tools: [...(tools ?? []), ...(groups ?? [])],
    allowedSubAgents: agents,
    model,
    maxDepth,
    maxSteps,
    params,
    pageIds: pages?.length === 0 ? undefined : pages,
    budget: budget && budgetOf(budget),
    hidden: hidden || undefined,
  }
}

export function splitFrontMatter(text: string): { matter: string; body: string } {
  const normal = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const match = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)([\s\S]*)$/.exec(normal)
  if (match === null) return { matter: '', body: normal.trim() }
  return { matter: match[1] ?? '', body: (match[2] ?? '').trim() }
}

/** Accepts a list or a comma-separated string. */
function names() {
  return z.union([
    z.array(z.string().min(1).max(200)).max(200),
    z.string().transform((text) =>
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ])
}

function budgetOf({
  seconds,
  ...rest
}: NonNullable<z.infer<typeof frontMatter>['budget']>): NonNullable<AgentDefinition['budget']> {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return { ...given, ...(seconds !== undefined && { ms: seconds * 1000 }) }
}

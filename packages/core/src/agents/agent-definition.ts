import { type ParamValues, paramValuesSchema } from '@troupe/protocol'
import { parseDocument } from 'yaml'
import { z } from 'zod'

/** What a turn may cost, the sub-agents of that turn included. */
export interface Budget {
  /** Model calls. */
  steps?: number
  tokens?: number
  /** In the currency of the model's price list. */
  cost?: number
  ms?: number
}

/** What an agent is: a prompt, and which of the existing tools it may use. No code. */
export interface AgentDefinition {
  name: string
  /** Tells the delegating model what it is for. */
  description: string
  prompt: string
  /** Names of tools or of capability groups. */
  tools: readonly string[]
  /** Whom it may delegate to. Absent: the default set. Empty: nobody. */
  allowedSubAgents?: readonly string[]
  /** `provider/model`; absent: its parent's. */
  model?: string
  maxDepth?: number
  /** Model calls of one turn of its own. */
  maxSteps?: number
  budget?: Budget
  /** Settings of its model, where that has them; the person's own go before. */
  params?: ParamValues
  /** It is offered only while one of these pages is open. Absent or empty: everywhere. */
  pageIds?: readonly string[]
  /** Offered to nobody; whoever names it has it all the same. */
  hidden?: true
}

/** As it is stored with a sub-agent: made from a shipped or stored definition, by the caller, or without one. */
export type AgentType = 'system' | 'dynamic' | 'default'

/** `document` is `Document`, `BrowserSubAgent` is `browser`: case, separators and the usual endings do not matter. */
export function agentKey(name: string): string {
  const bare = name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
  const key = bare.replace(/(sub)?agent$/, '') || bare
  return Object.hasOwn(aliases, key) ? (aliases[key] as string) : key
}

/** Names that models know from elsewhere. */
const aliases: Readonly<Record<string, string>> = {
  generalpurpose: 'coder',
  general: 'coder',
  worker: 'coder',
  explorer: 'explore',
  planner: 'plan',
  web: 'browser',
  docs: 'document',
  doc: 'document',
  mail: 'email',
  terminal: 'shell',
  command: 'shell',
}

/** What stands between the dashes of an agent's file. */
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

/** A definition from a file, and which groups of tools must be there for it to be of use. */
type AgentFile = AgentDefinition & { needs: readonly string[] }

/** Names may be longer in other languages; slashes, dots and spaces are in none. */
export const agentNamePattern = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u

/**
 * `agents/<name>.md`: YAML between two lines of dashes, then the prompt. Throws an Error that says what is wrong, with
 * the line where there is one.
 */
export function parseAgentFile(text: string, name: string): AgentFile {
  if (!agentNamePattern.test(name))
    throw new Error(`"${name}" is not an agent's name: letters, digits, "-" and "_", at most 64`)
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
  if (body === '') throw new Error('there is no prompt below the front matter')
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
    ...(agents !== undefined && { allowedSubAgents: agents }),
    ...(model !== undefined && { model }),
    ...(maxDepth !== undefined && { maxDepth }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(params !== undefined && { params }),
    ...(pages !== undefined && pages.length > 0 && { pageIds: pages }),
    ...(budget !== undefined && { budget: budgetOf(budget) }),
    ...(hidden === true && { hidden }),
  }
}

/** The text between the first two lines of dashes, and what comes after them. */
export function splitFrontMatter(text: string): { matter: string; body: string } {
  const normal = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const match = /^---[ \t]*\n(?:([\s\S]*?)\n)?---[ \t]*(?:\n|$)([\s\S]*)$/.exec(normal)
  if (match === null) return { matter: '', body: normal.trim() }
  return { matter: match[1] ?? '', body: (match[2] ?? '').trim() }
}

/** A list, or names with commas between them. */
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

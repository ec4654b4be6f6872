import { statSync } from 'node:fs'
import path from 'node:path'
import {
  agentKey,
  mentionsIn,
  readMention,
  type AgentDefinition,
  type DataParts,
  type Decision,
  type Mention,
  type Part,
} from '@troupe/core'

const maxMentions = 20
const maxMentionBytes = 60_000
const maxAllMentionBytes = 200_000

export interface MentionSources {
  workspacePath: string
  agents: readonly Pick<AgentDefinition, 'name' | 'description'>[]
  /** May this be read unasked? As for a call of Read or ListDir. */
  mayRead(call: { tool: 'Read' | 'ListDir'; path: string }): Promise<Decision>
}

/**
 * The parts that things named with `@` become. What is not there is no mention; what would have to be asked for (a
 * secret, something outside the workspace, something that a rule forbids) is not brought in, and the part says why.
 */
export async function attachMentions(text: string, place: MentionSources): Promise<Part[]> {
  const parts: Part[] = []
  let left = maxAllMentionBytes
  for (const mention of mentionsIn(text).slice(0, maxMentions)) {
    const data = agentPart(mention, place) ?? (await pathPart(mention, place, Math.min(left, maxMentionBytes)))
    if (data === undefined) continue
    left -= data.content.length
    parts.push({ type: 'data-mention', data })
  }
  return parts
}

/** A bare name is an agent before it is a file; `./name` is always a file. */
function agentPart({ name, from }: Mention, { agents }: MentionSources): DataParts['mention'] | undefined {
  const agent = from === undefined ? agents.find((known) => agentKey(known.name) === agentKey(name)) : undefined
  if (agent === undefined || /[/.]/.test(name)) return undefined
  const content = `The person wants the agent ${agent.name} for this: ${agent.description}`
  return { kind: 'agent', name: agent.name, content }
}

async function pathPart(
  mention: Mention,
  { workspacePath, mayRead }: MentionSources,
  most: number,
): Promise<DataParts['mention'] | undefined> {
  const { name } = mention
  const target = path.resolve(workspacePath, name)
  const refused = (content: string): DataParts['mention'] => ({ kind: 'refused', name, content })
  try {
    const stats = statSync(target, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    const within = path.relative(workspacePath, target)
    const shown = within.startsWith('..') ? target : within || '.'
    const { decision, reason } = await mayRead({ tool: stats.isDirectory() ? 'ListDir' : 'Read', path: shown })
    if (decision !== 'allow') return refused(`${name} was not brought in. ${reason}`)
    if (most < 1000)
      return refused(`${name} was not brought in: the message names more than fits. Read it where needed.`)
    return readMention(mention, { path: target, stats }, most)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Through a file, or too long a name: no path at all.
    if (code === 'ENOTDIR' || code === 'ENAMETOOLONG' || name.includes('\0')) return undefined
    return refused(`${name} could not be read: ${(error as Error).message}`)
  }
}

import os from 'node:os'
import {
  agentKey,
  planInstructions,
  type AgentDefinition,
  type AgentFrame,
  type SandboxFinding,
  type Session,
} from '@troupe/core'

export interface InstructionFacts {
  /** What the agent is for, as its definition says it. */
  prompt: string
  workspacePath: string
  frame: AgentFrame
  /** Whom it could delegate to. */
  agents: readonly AgentDefinition[]
  sandbox: SandboxFinding
  /** Set in plan mode. */
  planFile?: string
}

const made = new Map<string, string>()

/**
 * What every model call of an agent starts with: its prompt, whom it may delegate to, where it is. Depends on nothing
 * that changes between turns of one mode, so caches hit. Equal texts are one text: hundreds of runs may hold it.
 */
export function instructionsFor(session: Session, facts: InstructionFacts): string {
  const blocks = [facts.prompt]
  const agents = allowedAgents(facts)
  if (agents.length > 0)
    blocks.push(`Agents for Task:\n${agents.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}`)
  blocks.push(
    [
      `Workspace: ${facts.workspacePath}`,
      `Operating system: ${os.type()} ${os.arch()}`,
      `The conversation began on ${new Date(session.createdAt).toISOString().slice(0, 10)}.`,
    ].join('\n'),
  )
  if (facts.sandbox.sandbox === undefined) blocks.push(facts.sandbox.text)
  if (facts.planFile !== undefined) blocks.push(planInstructions(facts.planFile))
  const instructions = blocks.join('\n\n')
  const known = made.get(instructions)
  if (known !== undefined) return known
  if (made.size > 100) made.clear()
  made.set(instructions, instructions)
  return instructions
}

function allowedAgents({ frame, agents }: InstructionFacts): AgentDefinition[] {
  return agents.filter(({ name }) => {
    if (agentKey(name) === agentKey(frame.name)) return false
    return frame.allowedSubAgents?.some((other) => agentKey(other) === agentKey(name)) ?? true
  })
}

import { planInstructions, type AgentFrame, type SandboxFinding } from '@troupe/core'
import { agentsBlock, type PromptBlock, type Preface } from './context/preface.ts'

/** Layers of a preface, each for agents that can make use of it. */
export const skillsLayer = 'skills'
export const serversLayer = 'MCP servers'

export interface InstructionFacts {
  /** What the agent is for, as its definition says it. */
  prompt: string
  frame: AgentFrame
  preface: Preface
  sandbox: SandboxFinding
  /** The page that is open. */
  page?: string
  /** Set in plan mode. */
  planFile?: string
}

/** What every model call of an agent starts with, piece by piece: what changes least stands first, so that caches hit. */
export function instructionBlocks(facts: InstructionFacts): PromptBlock[] {
  const { prompt, frame, preface, sandbox, page, planFile } = facts
  const agents = agentsBlock(preface, frame, page)
  return [
    { name: `prompt of ${frame.name}`, text: prompt },
    ...(agents === undefined ? [] : [agents]),
    ...preface.blocks,
    ...(sandbox.sandbox === undefined ? [{ name: 'sandbox', text: sandbox.text }] : []),
    ...(planFile === undefined ? [] : [{ name: 'plan mode', text: planInstructions(planFile) }]),
  ]
}

/** Without the skills for an agent that cannot load any, nor the servers for one that has none of their tools. */
export function blocksFor(
  blocks: readonly PromptBlock[],
  tools: readonly { name: string; group: string }[],
): PromptBlock[] {
  return blocks.filter(({ name }) => {
    if (name === skillsLayer) return tools.some((tool) => tool.name === 'Skill')
    return name !== serversLayer || tools.some(({ group }) => group.startsWith('mcp:'))
  })
}

const joinedTexts = new Map<string, string>()

/** The blocks as one text. Equal texts are one text: hundreds of runs may hold it. */
export function joinBlocks(blocks: readonly PromptBlock[]): string {
  const instructions = blocks.map(({ text }) => text).join('\n\n')
  const known = joinedTexts.get(instructions)
  if (known !== undefined) return known
  if (joinedTexts.size > 100) joinedTexts.clear()
  joinedTexts.set(instructions, instructions)
  return instructions
}

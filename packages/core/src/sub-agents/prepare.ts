import type { AgentSetup } from '../store.ts'
import { agentKey, type AgentDefinition, type AgentType } from '../agent-definition.ts'
import type { AgentFrame } from '../agent-frame.ts'
import { findTool } from '../tool-set.ts'
import type { Tool } from '../tool.ts'
import type { AgentHost } from './agent-host.ts'
import type { Refusal, SpawnRequest, SkillLimits } from './agents.ts'
import type { Meter } from './meter.ts'
import { checkDelegation } from './refuse.ts'

/** Who wants to delegate. */
export interface Delegator {
  frames: readonly AgentFrame[]
  tools: readonly Tool[]
  modelId: string
  meter: Meter
}

export interface PreparedSpawn {
  name: string
  agentType: AgentType
  setup: AgentSetup
}

/** Everything that can be refused before an agent exists: nothing is left of a refused one. */
export async function prepareSpawn(
  host: AgentHost,
  parent: Delegator,
  request: SpawnRequest,
): Promise<PreparedSpawn | Refusal> {
  const spent = parent.meter.exceeded()
  if (spent !== undefined) return { refused: 'BUDGET', message: `${spent} Finish with what you have.` }
  const refusal = checkDelegation(request.name, parent.frames)
  if (refusal !== undefined) return refusal
  const { config, unasked } = request
  if (config !== undefined) return defineInlineAgent(request.name, config, request, parent)
  const definitions = await host.definitions()
  const definition = definitions.find((known) => agentKey(known.name) === agentKey(request.name))
  if (definition === undefined) return notFound(request.name, definitions, await host.whyNot?.(request.name))
  const model = request.model ?? definition.model ?? parent.modelId
  if (model !== parent.modelId) await host.checkModel(model)
  const { prompt, allowedSubAgents, maxDepth, maxSteps, budget, params } = definition
  return {
    name: definition.name,
    agentType: 'system',
    setup: {
      prompt,
      model,
      tools: host.tools(definition.tools).map((tool) => tool.name),
      ...(allowedSubAgents !== undefined && { allowedSubAgents }),
      ...(maxDepth !== undefined && { maxDepth }),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(budget !== undefined && { budget }),
      ...(params !== undefined && { params }),
      ...(unasked !== undefined && { unasked }),
    },
  }
}

/** An agent of the caller's own making holds no tool that the caller does not hold. */
function defineInlineAgent(
  name: string,
  config: NonNullable<SpawnRequest['config']>,
  { model, unasked }: SpawnRequest,
  parent: Delegator,
): PreparedSpawn | Refusal {
  const wanted = config.tools ?? parent.tools.map((tool) => tool.name)
  const found = wanted.map((tool) => findTool(tool, parent.tools))
  const missing = wanted.filter((_, i) => found[i] === undefined)
  if (missing.length > 0) {
    const yours = parent.tools.map((tool) => tool.name).join(', ')
    return {
      refused: 'NOT_ALLOWED',
      message: `An agent of your own making can only have tools that you have. Not among them: ${missing.join(', ')}. Yours: ${yours}.`,
    }
  }
  return {
    name,
    agentType: 'dynamic',
    setup: {
      prompt: config.systemPrompt,
      model: model ?? parent.modelId,
      tools: (found as Tool[]).map((tool) => tool.name),
      ...(unasked !== undefined && { unasked }),
    },
  }
}

function notFound(
  name: string,
  definitions: readonly AgentDefinition[],
  why = `There is no agent "${name}".`,
): Refusal {
  const offered = definitions.filter(({ hidden }) => hidden !== true)
  const known = offered.map((definition) => definition.name).join(', ')
  return { refused: 'NOT_FOUND', message: `${why} There are: ${known || 'none'}.` }
}

/** With what skills of whoever tells it more leave unasked, besides what it was started with. */
export function narrowSetup(setup: AgentSetup, unasked: SkillLimits): AgentSetup {
  const known = new Set((setup.unasked ?? []).map((list) => JSON.stringify(list)))
  const added = unasked.filter((list) => !known.has(JSON.stringify(list)))
  return added.length === 0 ? setup : { ...setup, unasked: [...(setup.unasked ?? []), ...added] }
}

/** The chain with the new agent at its end. */
export function framesFor(
  parent: readonly AgentFrame[],
  { name, setup, agentId }: { name: string; setup: AgentSetup; agentId: string },
): AgentFrame[] {
  const above = parent.at(-1) as AgentFrame
  const { allowedSubAgents, maxDepth, unasked } = setup
  return [
    ...parent,
    {
      kind: 'sub',
      name,
      agentId,
      depth: above.depth + 1,
      path: [...above.path, name],
      ...(allowedSubAgents !== undefined && { allowedSubAgents: [...allowedSubAgents] }),
      ...(maxDepth !== undefined && { maxDepth }),
      ...(unasked !== undefined && { unasked }),
    },
  ]
}

import { type AgentFrame, agentKey, type AgentRecord, type AgentSetup, type ChildRun, type Session } from '@troupe/core'
import type { RunServices, SessionServices } from './run-services.ts'
import { blocksFor, joinBlocks } from './system-prompt.ts'
import { type RunRequest, type PreparedRun, allowedTools, modelFor } from './prepare-run.ts'

/** Prepares a sub-agent's run. Its message is already stored. */
export async function prepareChildRun(
  services: RunServices,
  session: Session,
  child: ChildRun,
  root?: Pick<RunRequest, 'page' | 'person'>,
): Promise<PreparedRun> {
  const { record, frames, message, summary } = child
  const parts = await prepareAgentRun(services, session, record, frames, message.id, root)
  return { ...parts, ...(summary === true && { tools: [], maxSteps: 1 }), child }
}

/** Prepares a sub-agent's run without a parent, started by a user message. */
export function prepareStandaloneRun(
  services: RunServices,
  session: Session,
  record: AgentRecord,
  userMessageId: string,
  person?: string,
): Promise<PreparedRun> {
  const { name, agentId, details } = record
  const { allowedSubAgents, maxDepth, unasked } = details?.setup ?? {}
  const frame: AgentFrame = {
    kind: 'sub',
    name,
    agentId,
    depth: 1,
    path: ['master', name],
    allowedSubAgents: allowedSubAgents && [...allowedSubAgents],
    maxDepth,
    skillLimits: unasked,
  }
  return prepareAgentRun(services, session, record, [frame], userMessageId, { person })
}

async function prepareAgentRun(
  services: RunServices,
  session: Session,
  record: AgentRecord,
  frames: readonly AgentFrame[],
  userMessageId: string,
  { page, person }: Pick<RunRequest, 'page' | 'person'> = {},
): Promise<PreparedRun> {
  const setup = record.details?.setup as AgentSetup
  const at = { sessionId: session.id, agentId: record.agentId }
  const own = await services.session(session)
  const [called, blocks, history] = await Promise.all([
    modelFor(services, own.workspace, { model: setup.model, person }, [setup.params], true),
    agentPrompt(own, record).then((prompt) => own.blocks(frames.at(-1) as AgentFrame, prompt, { page })),
    services.store.messages.chain(at, userMessageId),
  ])
  const tools = allowedTools(setup.tools, own.tools())
  const { maxSteps, budget } = setup
  return {
    services: own,
    frames,
    tools,
    ...called,
    instructions: joinBlocks(blocksFor(blocks, tools)),
    history,
    maxSteps,
    budget,
  }
}

/** An imported agent has no prompt of its own. Uses the local agent with its name, or a generic one. */
async function agentPrompt(services: SessionServices, { name, details }: AgentRecord): Promise<string> {
  if (details !== undefined && details.setup.prompt !== '') return details.setup.prompt
  const known = (await services.agents()).find((agent) => agentKey(agent.name) === agentKey(name))
  return known?.prompt ?? 'You are a helpful agent of this workspace. Continue this imported conversation.'
}

import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  type AgentDefinition,
  type AgentFrame,
  agentKey,
  type AgentRecord,
  type AgentSetup,
  type AgentState,
  type Blobs,
  type Browser,
  type Budget,
  type ChildRun,
  deferToCore,
  type Limits,
  type Media,
  pickTools,
  type Resume,
  type RunInput,
  type RunRecord,
  type Session,
  shownTools,
  type Store,
  type Tool,
  type Workspace,
} from '@troupe/core'
import { type Chunk, NamedError, type ParamValues, paramValuesSchema, type StoredMessage } from '@troupe/protocol'
import { z } from 'zod'
import type { RuleTexts } from '../permission/rule-layers.ts'
import type { Logger } from '../util/logger.ts'
import type { Inbox } from './inbox.ts'
import type { Journal } from './journal.ts'
import { blocksFor, joinBlocks, type PromptBlock } from './system-prompt.ts'

const ruleTextsSchema = z.object({
  allow: z.array(z.string()).optional(),
  ask: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
})

const runRequestSchema = z.object({
  model: z.string(),
  agent: z.string().optional(),
  client: z.string().optional(),
  tab: z.string().optional(),
  page: z.string().optional(),
  headless: z.boolean().optional(),
  /** Apply to this run only. */
  rules: ruleTextsSchema.optional(),
  limits: z.object({ steps: z.number(), tokens: z.number(), ms: z.number(), repeats: z.number() }).partial().optional(),
  params: paramValuesSchema.optional(),
  /** Summarizes the chat instead of answering. */
  compact: z.boolean().optional(),
  /** Stored parts at the start of the answer, and transient ones at the start of the stream. */
  opening: z.array(z.custom<Chunk>()).optional(),
  /** A sub-agent that a person continued by itself, without its parent. */
  alone: z.literal(true).optional(),
})

/** Start parameters of a run. Stored, so another process can resume it. */
export type RunRequest = z.infer<typeof runRequestSchema>

/** The start parameters of a stored run. Throws if the record is damaged. */
export function runRequestOf({ id, request }: Pick<RunRecord, 'id' | 'request'>): RunRequest {
  const result = runRequestSchema.safeParse(request)
  if (result.success) return result.data
  throw new NamedError('DamagedRun', `The stored request of run ${id} cannot be read: ${result.error.message}`)
}

export interface RunManagerOptions {
  store: Store
  blobs: Blobs
  media?: Media
  browser?: Browser
  journal: Journal
  inbox: Inbox
  /** True if an open page of the workspace offers an action. May also return hints for models. */
  offers?(workspaceId: string, action: string): boolean | readonly string[]
  logger: Logger
  /** Resolves a model id. Throws a NamedError that says what to configure. */
  model(id: string): Promise<RunInput['model']>
  /** Builds a model's call settings. Later layers override earlier ones, and unsupported values are dropped. */
  callSettings?(model: string, ...layers: (ParamValues | undefined)[]): Promise<RunInput['callOptions']>
  tools(session: Session): readonly Tool[]
  /** Waits briefly for tool sources. Returns a note for the model about those that are not ready. */
  ready?(workspace: Workspace): Promise<string | undefined>
  /** Returns an agent's prompt with its context: environment and available sub-agents. */
  blocks(
    session: Session,
    frame: AgentFrame,
    prompt: string,
    now?: { workspace?: Workspace; history?: readonly StoredMessage[]; page?: string | undefined },
  ): Promise<readonly PromptBlock[]>
  /** Called before the session's agent makes a model call from these parts. */
  onStart(session: Session, call: ModelCallStart): void
  agent(session: Session, name: string, workspace: Workspace): Promise<AgentDefinition>
  /** Returns the agents that a session can delegate to with this page open. */
  agents(session: Session, page?: string): Promise<readonly AgentDefinition[]>
  whyNoAgent?(session: Session, name: string): Promise<string | undefined>
  /** Loads the workspace's extensions first. */
  workspace(session: Session): Promise<Workspace>
  /** Decides each call separately with the current rules. `rules` apply to this run only. */
  decide(session: Session, rules?: RuleTexts): RunInput['decide']
  mode(session: Session): NonNullable<RunInput['mode']>
  hooks(session: Session): NonNullable<RunInput['hooks']>
  /** Allows fetching addresses the user typed in these messages. */
  noteUserHosts(sessionId: string, history: readonly StoredMessage[]): void
  /** Called when an answer of the session's agent is finished and stored. */
  onAnswered?(record: RunRecord): void
  limits(): Partial<Limits>
  recovery(): 'continue' | 'wait'
  state(
    session: Session,
    workspace: { path: string },
    agentId: string | undefined,
    history: readonly StoredMessage[],
  ): AgentState
  /** Called when a sub-agent ends. Drops its state and ends its background commands. */
  dropState(sessionId: string, agentId: string): Promise<void>
  redact(text: string): string
  settings(name: string): unknown
  credentials(provider: string): Promise<{ apiKey?: string; baseURL?: string } | undefined>
  stallMs?: number
}

export interface RecoveredState {
  resume: Resume
  /** End of the session's journal: the frame count and the last chunk's number. */
  seq: number
  lastNumber: number
  /** Skipped numbers. A client with one of them saw lost events. */
  gaps: LogGap[]
}

export interface LogGap {
  after: number
  to: number
}

/** Everything that can fail before a run exists. */
export interface PreparedRun {
  /** Ordered from the master to the agent of this run. */
  frames: readonly AgentFrame[]
  tools: readonly Tool[]
  model: RunInput['model']
  instructions: string
  workspace: { id: string; path: string }
  history: StoredMessage[]
  /** Limit per turn from the agent's definition. */
  maxSteps?: number
  callOptions?: RunInput['callOptions']
  budget?: Budget
  child?: ChildRun
  /** Shared by a tree of agents. */
  reserveCallId?: (id: string) => Promise<boolean>
}

interface ModelCallStart extends Pick<PreparedRun, 'tools' | 'model' | 'history'> {
  blocks: readonly PromptBlock[]
  userMessageId: string
}

export function masterFrame({ name, allowedSubAgents, maxDepth }: AgentDefinition): AgentFrame {
  return {
    kind: 'master',
    name,
    depth: 0,
    path: [name],
    ...(allowedSubAgents !== undefined && { allowedSubAgents: [...allowedSubAgents] }),
    ...(maxDepth !== undefined && { maxDepth }),
  }
}

export async function prepareRun(
  options: RunManagerOptions,
  session: Session,
  request: RunRequest,
  { userMessageId, agentId }: Pick<RunRecord, 'userMessageId' | 'agentId'>,
  remains?: RecoveredState,
): Promise<PreparedRun> {
  const workspace = await options.workspace(session)
  const definition = await options.agent(session, request.agent ?? session.agent ?? 'master', workspace)
  const frame = masterFrame(definition)
  const [model, callOptions, history, missing] = await Promise.all([
    modelOrAbsent(options, request.model, remains !== undefined),
    callSettingsFor(options, request.model, definition.params, request.params),
    options.store.messages.chain({ sessionId: session.id, ...(agentId !== null && { agentId }) }, userMessageId),
    options.ready?.(workspace),
  ])
  const tools = allowedTools(definition.tools, options.tools(session))
  const known = blocksFor(
    await options.blocks(session, frame, definition.prompt, { workspace, history, page: request.page }),
    tools,
  )
  const blocks = missing === undefined ? known : [...known, { name: 'what is missing', text: missing }]
  options.onStart(session, {
    blocks,
    tools: shownTools(tools, history, pageOffers(options, session, request), options.mode(session).get()),
    model,
    history,
    userMessageId,
  })
  const { maxSteps, budget } = definition
  return {
    frames: [frame],
    tools,
    model,
    instructions: joinBlocks(blocks),
    workspace,
    history,
    ...callOptions,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(budget !== undefined && { budget }),
  }
}

/** Prepares a sub-agent's run. Its message is already stored. */
export async function prepareChildRun(
  options: RunManagerOptions,
  session: Session,
  child: ChildRun,
  page?: string,
): Promise<PreparedRun> {
  const { record, frames, message, summary } = child
  const parts = await prepareAgentRun(options, session, record, frames, message.id, page)
  return { ...parts, ...(summary === true && { tools: [], maxSteps: 1 }), child }
}

/** Prepares a sub-agent's run without a parent, started by a user message. */
export function prepareStandaloneRun(
  options: RunManagerOptions,
  session: Session,
  record: AgentRecord,
  userMessageId: string,
): Promise<PreparedRun> {
  const { name, agentId, details } = record
  const { allowedSubAgents, maxDepth, unasked } = details?.setup ?? {}
  const frame: AgentFrame = {
    kind: 'sub',
    name,
    agentId,
    depth: 1,
    path: ['master', name],
    ...(allowedSubAgents !== undefined && { allowedSubAgents: [...allowedSubAgents] }),
    ...(maxDepth !== undefined && { maxDepth }),
    ...(unasked !== undefined && { skillLimits: unasked }),
  }
  return prepareAgentRun(options, session, record, [frame], userMessageId)
}

async function prepareAgentRun(
  options: RunManagerOptions,
  session: Session,
  record: AgentRecord,
  frames: readonly AgentFrame[],
  userMessageId: string,
  page?: string,
): Promise<PreparedRun> {
  const setup = record.details?.setup as AgentSetup
  const at = { sessionId: session.id, agentId: record.agentId }
  const workspace = await options.workspace(session)
  const [model, callOptions, blocks, history] = await Promise.all([
    modelOrAbsent(options, setup.model, true),
    callSettingsFor(options, setup.model, setup.params),
    agentPrompt(options, session, record).then((prompt) =>
      options.blocks(session, frames.at(-1) as AgentFrame, prompt, { workspace, page }),
    ),
    options.store.messages.chain(at, userMessageId),
  ])
  const tools = allowedTools(setup.tools, options.tools(session))
  const { maxSteps, budget } = setup
  return {
    frames,
    tools,
    model,
    instructions: joinBlocks(blocksFor(blocks, tools)),
    workspace,
    history,
    ...callOptions,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(budget !== undefined && { budget }),
  }
}

/** An agent with all tools gets the rarer ones through ToolSearch. */
export function allowedTools(names: readonly string[], all: readonly Tool[]): readonly Tool[] {
  const picked = pickTools(names, all)
  return picked.length === all.length ? deferToCore(all) : picked
}

/** An imported agent has no prompt of its own. Uses the local agent with its name, or a generic one. */
async function agentPrompt(
  options: RunManagerOptions,
  session: Session,
  { name, details }: AgentRecord,
): Promise<string> {
  if (details !== undefined && details.setup.prompt !== '') return details.setup.prompt
  const known = (await options.agents(session)).find((agent) => agentKey(agent.name) === agentKey(name))
  return known?.prompt ?? 'You are a helpful agent of this workspace. Continue this imported conversation.'
}

/** Returns the actions that the workspace's open pages offer. Empty for a headless run. */
export function pageOffers(
  options: RunManagerOptions,
  { workspaceId }: Session,
  { headless }: RunRequest,
): (action: string) => boolean | readonly string[] {
  return (action) => headless !== true && (options.offers?.(workspaceId, action) ?? false)
}

/** Returns undefined if nothing is set or the model is unavailable. The model call reports that later. */
async function callSettingsFor(
  options: RunManagerOptions,
  model: string,
  ...layers: (ParamValues | undefined)[]
): Promise<Pick<PreparedRun, 'callOptions'>> {
  if (options.callSettings === undefined || layers.every((layer) => layer === undefined)) return {}
  const callOptions = await options.callSettings(model, ...layers).catch(() => undefined)
  return callOptions === undefined ? {} : { callOptions }
}

/** A resumed run may only need to wait or finish its tool calls, so a missing model fails only when called. */
function modelOrAbsent(options: RunManagerOptions, id: string, mayBeAbsent: boolean): Promise<RunInput['model']> {
  return options.model(id).catch((error: unknown) => {
    if (!mayBeAbsent) throw error
    return absentModel(id, error)
  })
}

/** Stands in for a model that is no longer available. Calls fail with a hint on what to configure. */
function absentModel(id: string, error: unknown): { id: string; model: LanguageModelV4 } {
  const refuse = (): Promise<never> => Promise.reject(error as Error)
  const [provider = id, ...rest] = id.split('/')
  const modelId = rest.join('/')
  return {
    id,
    model: { specificationVersion: 'v4', provider, modelId, supportedUrls: {}, doStream: refuse, doGenerate: refuse },
  }
}

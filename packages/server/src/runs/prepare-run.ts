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
} from '@troupe/core'
import type { Chunk, ParamValues, StoredMessage } from '@troupe/protocol'
import type { RuleTexts } from '../permission/rule-layers.ts'
import type { Logger } from '../util/logger.ts'
import type { Inbox } from './inbox.ts'
import type { Journal } from './journal.ts'
import { blocksFor, joinBlocks, type PromptBlock } from './system-prompt.ts'

/** What a run is started with; stored, so that it can go on in another process. */
export interface RunRequest {
  model: string
  agent?: string
  client?: string
  tab?: string
  page?: string
  headless?: boolean
  /** Hold for this run alone. */
  rules?: RuleTexts
  limits?: Partial<Limits>
  /** Settings of the model that the person has chosen. */
  params?: ParamValues
  /** Nothing is answered: the conversation is summarised. */
  compact?: boolean
  /** Stored parts that open the answer, and transient ones that open the stream. */
  opening?: Chunk[]
}

/** What live runs need from around them. */
export interface RunManagerOptions {
  store: Store
  blobs: Blobs
  media?: Media
  browser?: Browser
  journal: Journal
  inbox: Inbox
  /** Whether an open page of the workspace offers an action, and what models are to know of it. */
  offers?(workspaceId: string, action: string): boolean | readonly string[]
  logger: Logger
  /** The model of an id; throws a NamedError that says what to set. */
  model(id: string): Promise<RunInput['model']>
  /** What a call of the model is made with; later settings go before earlier ones, those that do not fit are left out. */
  callSettings?(model: string, ...layers: (ParamValues | undefined)[]): Promise<RunInput['callOptions']>
  tools(session: Session): readonly Tool[]
  /** Waits, for a while, for what brings tools; what to tell the model of what has not come. */
  ready?(session: Session): Promise<string | undefined>
  /** The prompt of an agent with what it should know besides: where it is, and whom it may delegate to. */
  blocks(
    session: Session,
    frame: AgentFrame,
    prompt: string,
    now?: { history?: readonly StoredMessage[]; page?: string | undefined },
  ): Promise<readonly PromptBlock[]>
  /** A call of the agent that the session talks to is about to be made of these. */
  onStart(session: Session, call: ModelCallStart): void
  /** The agent that a session talks to. Throws `AgentNotFound` (404). */
  agent(session: Session, name: string): Promise<AgentDefinition>
  /** Whom the agents of a session may delegate to, with this page open. */
  agents(session: Session, page?: string): Promise<readonly AgentDefinition[]>
  /** Why an agent of this name cannot be delegated to, where there is one. */
  whyNoAgent?(session: Session, name: string): Promise<string | undefined>
  workspace(session: Session): Promise<{ id: string; path: string }>
  /** May a call run? Asked anew for each. `rules`: those of the run alone. */
  decide(session: Session, rules?: RuleTexts): RunInput['decide']
  mode(session: Session): NonNullable<RunInput['mode']>
  hooks(session: Session): NonNullable<RunInput['hooks']>
  /** The messages of a session: addresses that the person typed in them may be fetched. */
  heard(sessionId: string, history: readonly StoredMessage[]): void
  /** An answer of the agent that a session talks to is over and stored. */
  onAnswered?(record: RunRecord): void
  limits(): Partial<Limits>
  recovery(): 'continue' | 'wait'
  /** What the agent of a session, or one of its sub-agents, remembers from its earlier turns. */
  state(
    session: Session,
    workspace: { path: string },
    agentId: string | undefined,
    history: readonly StoredMessage[],
  ): AgentState
  /** A sub-agent has ended: what it remembers is let go, its background commands end. */
  dropState(sessionId: string, agentId: string): Promise<void>
  /** Takes every key and token that is in use out of a text. */
  redact(text: string): string
  /** A section of config.json, for the tool that it belongs to. */
  settings(name: string): unknown
  credentials(provider: string): Promise<{ apiKey?: string; baseURL?: string } | undefined>
  stallMs?: number
}

/** What of a run is left from an earlier process. */
export interface RecoveredState {
  resume: Resume
  /** Where the journal of the session ends: how many frames, and the number of the last chunk. */
  seq: number
  lastNumber: number
  /** Numbers that were jumped over: a client that holds one saw what is lost. */
  gaps: LogGap[]
}

export interface LogGap {
  after: number
  to: number
}

/** Everything that can fail before a run exists. */
export interface PreparedRun {
  /** Master first, the agent of this run last. */
  frames: readonly AgentFrame[]
  tools: readonly Tool[]
  model: RunInput['model']
  instructions: string
  workspace: { id: string; path: string }
  history: StoredMessage[]
  /** What the agent's definition allows one turn of it. */
  maxSteps?: number
  callOptions?: RunInput['callOptions']
  budget?: Budget
  /** Set for a sub-agent. */
  child?: ChildRun
  /** Shared by a tree of agents. */
  takeCallId?: (id: string) => Promise<boolean>
}

/** What the first call of a run starts with. */
interface ModelCallStart extends Pick<PreparedRun, 'tools' | 'model' | 'history'> {
  blocks: readonly PromptBlock[]
  userMessageId: string
}

/** The place of the agent that a session talks to. */
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
  const definition = await options.agent(session, request.agent ?? session.agent ?? 'master')
  const frame = masterFrame(definition)
  const [model, callOptions, workspace, history, missing] = await Promise.all([
    modelOrAbsent(options, request.model, remains !== undefined),
    callSettingsFor(options, request.model, definition.params, request.params),
    options.workspace(session),
    options.store.messages.chain({ sessionId: session.id, ...(agentId !== null && { agentId }) }, userMessageId),
    options.ready?.(session),
  ])
  const tools = allowedTools(definition.tools, options.tools(session))
  const known = blocksFor(
    await options.blocks(session, frame, definition.prompt, { history, page: request.page }),
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

/** The same for a sub-agent, whose message is stored already. */
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

/** The same for a sub-agent that works for nobody: a person has told it something. */
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
    ...(unasked !== undefined && { unasked }),
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
  const [model, callOptions, blocks, workspace, history] = await Promise.all([
    modelOrAbsent(options, setup.model, true),
    callSettingsFor(options, setup.model, setup.params),
    agentPrompt(options, session, record).then((prompt) =>
      options.blocks(session, frames.at(-1) as AgentFrame, prompt, { page }),
    ),
    options.workspace(session),
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

/** An agent that has them all finds the rarer ones when it needs them. */
export function allowedTools(names: readonly string[], all: readonly Tool[]): readonly Tool[] {
  const picked = pickTools(names, all)
  return picked.length === all.length ? deferToCore(all) : picked
}

/** An imported agent has none of its own: it is the one that is known here by its name, or any other. */
async function agentPrompt(
  options: RunManagerOptions,
  session: Session,
  { name, details }: AgentRecord,
): Promise<string> {
  if (details !== undefined && details.setup.prompt !== '') return details.setup.prompt
  const known = (await options.agents(session)).find((agent) => agentKey(agent.name) === agentKey(name))
  return known?.prompt ?? 'You go on with a conversation that was imported, as a helpful agent of this workspace.'
}

/** What the open pages of the session's workspace offer; nothing to a run that nobody looks at. */
export function pageOffers(
  options: RunManagerOptions,
  { workspaceId }: Session,
  { headless }: RunRequest,
): (action: string) => boolean | readonly string[] {
  return (action) => headless !== true && (options.offers?.(workspaceId, action) ?? false)
}

/** Nothing where nothing is set, or the model is away: it is missed when it is called. */
async function callSettingsFor(
  options: RunManagerOptions,
  model: string,
  ...layers: (ParamValues | undefined)[]
): Promise<Pick<PreparedRun, 'callOptions'>> {
  if (options.callSettings === undefined || layers.every((layer) => layer === undefined)) return {}
  const callOptions = await options.callSettings(model, ...layers).catch(() => undefined)
  return callOptions === undefined ? {} : { callOptions }
}

/** A run that is taken up may yet have to wait, or to finish its calls: its model is missed when it is called. */
function modelOrAbsent(options: RunManagerOptions, id: string, mayBeAbsent: boolean): Promise<RunInput['model']> {
  return options.model(id).catch((error: unknown) => {
    if (!mayBeAbsent) throw error
    return absentModel(id, error)
  })
}

/** Stands for a model that a run was started with and that is gone: whoever calls it hears what to set. */
function absentModel(id: string, error: unknown): { id: string; model: LanguageModelV4 } {
  const refuse = (): Promise<never> => Promise.reject(error as Error)
  const [provider = id, ...rest] = id.split('/')
  const modelId = rest.join('/')
  return {
    id,
    model: { specificationVersion: 'v4', provider, modelId, supportedUrls: {}, doStream: refuse, doGenerate: refuse },
  }
}

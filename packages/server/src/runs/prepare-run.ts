import {
  type FileKind,
  type AgentDefinition,
  type AgentFrame,
  type Budget,
  type ChildRun,
  deferToCore,
  inDialect,
  type Limits,
  pickTools,
  type Resume,
  type RunInput,
  type RunRecord,
  type Session,
  shownTools,
  type Tool,
  type WriteLock,
  type Workspace,
} from '@troupe/core'
import {
  type ModelDefinition,
  type Chunk,
  NamedError,
  type ParamValues,
  paramValuesSchema,
  type StoredMessage,
} from '@troupe/protocol'
import type { ResolvedModel } from '../models/models.ts'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { z } from 'zod'
import { callSettings } from '../models/call-settings.ts'
import type { RunServices, SessionServices } from './run-services.ts'
import { blocksFor, joinBlocks, type PromptBlock, sessionLanguage } from './system-prompt.ts'

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
  /** Id of the person who started it. Only in team mode. */
  person: z.string().optional(),
  /** Id of the HTTP request that started it, for the log. Only in team mode. */
  requestId: z.string().optional(),
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
  /** One of several models that answer the same message. Sub-agents have the column of their root. */
  column: z.object({ index: z.number(), messageId: z.string() }).optional(),
})

/** Start parameters of a run. Stored, so another process can resume it. */
export type RunRequest = z.infer<typeof runRequestSchema>

/** The start parameters of a stored run. Throws if the record is damaged. */
export function runRequestOf({ id, request }: Pick<RunRecord, 'id' | 'request'>): RunRequest {
  const result = runRequestSchema.safeParse(request)
  if (result.success) return result.data
  throw new NamedError('DamagedRun', `The stored request of run ${id} cannot be read: ${result.error.message}`)
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
  services: SessionServices
  history: StoredMessage[]
  /** Limit per turn from the agent's definition. */
  maxSteps?: number
  callOptions?: RunInput['callOptions']
  budget?: Budget
  child?: ChildRun
  /** Shared by a tree of agents, and by the columns of a comparison. */
  reserveCallId?: (id: string) => Promise<boolean>
  /** Shared by the columns of a comparison. */
  writes?: WriteLock
}

export function masterFrame({ name, allowedSubAgents, maxDepth }: AgentDefinition): AgentFrame {
  return {
    kind: 'master',
    name,
    depth: 0,
    path: [name],
    allowedSubAgents: allowedSubAgents && [...allowedSubAgents],
    maxDepth,
  }
}

export async function prepareRun(
  services: RunServices,
  session: Session,
  request: RunRequest,
  { userMessageId, agentId }: Pick<RunRecord, 'userMessageId' | 'agentId'>,
  recovered?: RecoveredState,
): Promise<PreparedRun> {
  const own = await services.session(session)
  const definition = await own.agent(request.agent ?? session.agent ?? 'master')
  const [called, history, missing] = await Promise.all([
    modelFor(services, own.workspace, request, [definition.params, request.params], recovered !== undefined),
    services.store.messages.chain({ sessionId: session.id, agentId: agentId ?? undefined }, userMessageId),
    own.ready(),
  ])
  const { blocks, tools } = await firstPrompt(own, definition, { history, page: request.page })
  if (missing !== undefined) blocks.push({ name: 'what is missing', text: missing })
  own.onStart({
    blocks,
    tools: shownTools(tools, history, pageOffers(own, request), own.mode().get()),
    model: called.model,
    history,
    userMessageId,
  })
  const { maxSteps, budget } = definition
  return {
    services: own,
    frames: [masterFrame(definition)],
    tools,
    ...called,
    instructions: joinBlocks(blocks),
    history,
    maxSteps,
    budget,
  }
}

/** Returns the system prompt and the tools of a session's own agent. */
export async function firstPrompt(
  services: SessionServices,
  definition: AgentDefinition,
  now?: Parameters<SessionServices['blocks']>[2],
): Promise<{ blocks: PromptBlock[]; tools: readonly Tool[] }> {
  const tools = allowedTools(definition.tools, services.tools())
  const blocks = await services.blocks(masterFrame(definition), definition.prompt, now)
  return { blocks: blocksFor(blocks, tools), tools }
}

/** An agent with all tools gets the rarer ones through ToolSearch. */
export function allowedTools(names: readonly string[], all: readonly Tool[]): readonly Tool[] {
  const picked = pickTools(names, all)
  return picked.length === all.length ? deferToCore(all) : picked
}

/** Returns the actions that the workspace's open pages offer. Empty for a headless run. */
export function pageOffers(services: SessionServices, { headless }: RunRequest): SessionServices['offers'] {
  return (action) => headless !== true && services.offers(action)
}

/**
 * Returns a model with its call settings. Later layers override earlier ones. A resumed run may only need to wait or
 * finish its tool calls, so there a missing model fails only when called.
 */
export async function modelFor(
  { models: shared, spending }: RunServices,
  workspace: Pick<Workspace, 'path'>,
  { model: id, person }: Pick<RunRequest, 'model' | 'person'>,
  layers: (ParamValues | undefined)[],
  mayBeAbsent: boolean,
): Promise<Pick<PreparedRun, 'model' | 'callOptions'>> {
  try {
    const models = person === undefined ? shared : ((await shared.of?.(person)) ?? shared)
    const found = await models.resolveChatModel(id)
    const known = runModel(found)
    const model: RunInput['model'] = {
      ...known,
      guard: spending?.guard({ id: found.id, price: known.price, local: found.local }, workspace, person),
      onLearned: (learned) => models.learn(found.id, learned),
    }
    const isSet = layers.some((layer) => layer !== undefined)
    return isSet ? { model, callOptions: callSettings(found.definition, ...layers) } : { model }
  } catch (error) {
    if (!mayBeAbsent) throw error
    return { model: absentModel(id, error) }
  }
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

export function runModel({
  definition,
  files = ['image', 'pdf'],
  local: _,
  ...found
}: ResolvedModel): RunInput['model'] {
  const takes = supportedFiles(definition, files)
  return { ...found, accepts: takes, ...modelLimits(definition) }
}

export function modelLimits({
  contextWindow,
  maxOutputTokens,
  price,
}: ModelDefinition): Pick<RunInput['model'], 'contextWindow' | 'maxOutputTokens' | 'price'> {
  return {
    contextWindow,
    maxOutputTokens,
    price: price && { ...price },
  }
}

/** For an unknown model, tries everything its provider's SDK supports. */
export function supportedFiles(
  { tags, guessed }: ModelDefinition,
  files: readonly FileKind[],
): readonly FileKind[] | undefined {
  if (guessed === true) return files.includes('pdf') ? undefined : files
  return files.filter((kind) => tags.includes(kind === 'image' ? 'vision' : kind))
}

/** The part of a run's input that does not change while it runs. */
export function runInput(
  services: RunServices,
  given: { record: RunRecord; session: Session; parts: PreparedRun; recovered?: RecoveredState | undefined },
  request: RunRequest,
) {
  const { record, session, parts, recovered } = given
  const { services: own, frames, model } = parts
  return {
    runId: record.id,
    messageId: record.messageId,
    session: { id: session.id, ...sessionLanguage(session) },
    workspace: own.workspace,
    project: own.project,
    projects: own.projects,
    client: request.client,
    tab: request.tab,
    page: request.page,
    frames,
    model,
    callOptions: parts.callOptions,
    instructions: parts.instructions,
    tools: inDialect(parts.tools, model.id),
    offers: pageOffers(own, request),
    history: parts.history,
    limits: ownLimits(parts, { ...services.limits(), ...request.limits }),
    headless: request.headless === true,
    asks: services.inbox,
    blobs: services.blobsOf?.(session.id) ?? services.blobs,
    media: mediaOf(services, session.id),
    queries: services.queries,
    browser: services.browser,
    documents: services.documents,
    printer: services.printer,
    pictures: services.pictures,
    transcription: services.transcription,
    attachments: services.attachments,
    vision: services.vision,
    code: own.workspace.trusted ? services.code?.(own.workspace) : undefined,
    mode: own.mode(),
    hooks: own.hooks(),
    settings: services.toolSettings,
    redact: services.redact,
    credentials: services.credentials,
    resume: recovered?.resume,
    stallMs: services.stallMs,
    trace: (line) =>
      services.logger({
        ...line,
        session: session.id,
        run: record.id,
        requestId: request.requestId,
        agentPath: frames.at(-1)?.path,
      }),
  } satisfies Partial<RunInput>
}

/** An agent definition can only tighten a run's limits. */
function ownLimits({ maxSteps }: PreparedRun, limits: Partial<Limits>): Partial<Limits> {
  return maxSteps === undefined ? limits : { ...limits, steps: Math.min(maxSteps, limits.steps ?? maxSteps) }
}

/** Media that a chat creates belong to the chat. */
function mediaOf({ media, blobsOf }: RunServices, sessionId: string): RunServices['media'] {
  if (media === undefined || blobsOf === undefined) return media
  return { ...media, start: (request) => media.start({ ...request, sessionId }) }
}

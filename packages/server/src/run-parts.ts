import type {
  AgentFrame,
  AgentState,
  Blobs,
  Chunk,
  Limits,
  PermissionRules,
  Resume,
  RunInput,
  Session,
  Store,
  StoredMessage,
  Tool,
} from '@troupe/core'
import { absentModel } from './absent-model.ts'
import type { Inbox } from './inbox.ts'
import type { Journal } from './journal.ts'
import type { Logger } from './logger.ts'

/** What a run is started with; stored, so that it can go on in another process. */
export interface RunRequest {
  model: string
  agent?: string
  mode?: string
  client?: string
  tab?: string
  page?: string
  headless?: boolean
  limits?: Partial<Limits>
  /** Stored parts that open the answer, and transient ones that open the stream. */
  opening?: Chunk[]
}

/** What live runs need from around them. */
export interface LiveOptions {
  store: Store
  blobs: Blobs
  journal: Journal
  inbox: Inbox
  logger: Logger
  /** The model of an id; throws a NamedError that says what to set. */
  model(id: string): Promise<RunInput['model']>
  tools(session: Session): readonly Tool[]
  instructions(session: Session, frame: AgentFrame): Promise<string>
  workspace(session: Session): Promise<{ id: string; path: string }>
  rules(session: Session): PermissionRules
  limits(): Partial<Limits>
  recovery(): 'continue' | 'wait'
  /** What the agent of a session remembers from its earlier turns. */
  state(session: Session, workspace: { path: string }): AgentState
  /** Takes every key and token that is in use out of a text. */
  redact(text: string): string
  /** A section of config.json, for the tool that it belongs to. */
  settings(name: string): unknown
  credentials(provider: string): Promise<{ apiKey?: string; baseURL?: string } | undefined>
  stallMs?: number
}

/** What of a run is left from an earlier process. */
export interface Remains {
  resume: Resume
  /** Where the journal of the session ends: how many frames, and the number of the last chunk. */
  seq: number
  lastNumber: number
  /** Numbers that were jumped over: a client that holds one saw what is lost. */
  gaps: Gap[]
}

export interface Gap {
  after: number
  to: number
}

/** Everything that can fail before a run exists. */
export interface RunParts {
  frame: AgentFrame
  model: RunInput['model']
  instructions: string
  workspace: { id: string; path: string }
  history: StoredMessage[]
}

export async function gatherParts(
  options: LiveOptions,
  session: Session,
  request: RunRequest,
  userMessageId: string,
  remains?: Remains,
): Promise<RunParts> {
  const name = request.agent ?? 'master'
  const frame: AgentFrame = { kind: 'master', name, depth: 0, path: [name] }
  const [model, instructions, workspace, history] = await Promise.all([
    // A run that is taken up may yet have to wait, or to finish its calls: its model is missed when it is called.
    options.model(request.model).catch((error: unknown) => {
      if (remains === undefined) throw error
      return absentModel(request.model, error)
    }),
    options.instructions(session, frame),
    options.workspace(session),
    options.store.messages.chain({ sessionId: session.id }, userMessageId),
  ])
  return { frame, model, instructions, workspace, history }
}

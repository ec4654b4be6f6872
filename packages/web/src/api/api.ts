import type {
  Answer,
  Ask,
  BranchPage,
  Effect,
  Folder,
  Mode,
  Session,
  SessionPatch,
  SessionView,
  TextMatches,
  TreeMessage,
  Workspace,
} from '@troupe/core'
import type { DataParts, ListedSession, ParamValues, Part, SessionPage } from '@troupe/protocol'
import type { ModelInfo, ModelList } from './models.ts'
import type { PreviewKind } from './preview-kind.ts'
import type { NewProvider, ProviderInfo, ProviderPatch, ProviderTest } from './providers.ts'
import type { Request, RequestOptions } from './request.ts'
import type {
  AgentDefinitionBody,
  AgentInfo,
  AgentList,
  BranchChanges,
  CallNote,
  ContextInfo,
  FileInfo,
  PageCall,
  ReadablePage,
  SubAgentInfo,
  SubAgentRef,
  TabNote,
  TaskInfo,
  TaskNews,
  ToolInfo,
} from './session-types.ts'
import type {
  ConfigInfo,
  ConfigPatch,
  DataInfo,
  Finding,
  HookList,
  McpEntry,
  McpInfo,
  McpList,
  McpPatch,
  McpTest,
  NewRule,
  RuleInfo,
  RuleList,
  RuleTest,
  SkillList,
  StagedSkills,
} from './settings-types.ts'

export interface ChatBody {
  sessionId: string
  message?: { id: string; role: 'user'; parts: Part[] }
  parentMessageId?: string | null
  trigger?: 'regenerate-message' | 'continue-message'
  messageId?: string
  model?: string
  mode?: Mode
  /** Whom the session talks to; the master where none is named. */
  agent?: string
  /** Settings of the model. */
  params?: ParamValues
  /** Addresses of the message that the person typed. */
  typedUrls?: string[]
  clientId: string
  tabId: string
}

export type { ListedSession, SessionPage } from '@troupe/protocol'

interface SessionQuery {
  query?: string
  cursor?: string
  view?: SessionView
  /** The id of a folder, or `none`. */
  folder?: string
}

/** What was deleted, and the name under which it can be brought back. */
export interface Removed {
  deleted: string[]
  removalId: string
}

/** What the server gives of a file that has a preview. */
interface FilePreview {
  path: string
  kind: PreviewKind
  size: number
  text?: string
  base64?: string
}

/** Something that can be put where the caret is. */
export interface PickItem {
  kind: 'command' | 'skill' | 'file' | 'folder' | 'agent'
  insert: string
  label: string
  detail: string
}

/** The routes that the page uses, by what they are for. */
export type Api = ReturnType<typeof createApi>

export function createApi(request: Request) {
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await request(method, path, { body })
    return (await response.json()) as T
  }
  const session = (id: string) => `/ai/sessions/${encodeURIComponent(id)}`
  const filePath = (id: string, path: string) => `${session(id)}/file?${new URLSearchParams({ path })}`
  const chat = (id: string) => `/ai/chat/${encodeURIComponent(id)}`
  const of = (sessionId: string | undefined) =>
    sessionId === undefined ? '' : `?${new URLSearchParams({ sessionId })}`
  const provider = (id: string) => `/ai/providers/${encodeURIComponent(id)}`
  const mcp = (name: string) => `/ai/mcp/${encodeURIComponent(name)}`
  const agent = (name: string) => `/ai/agents/${encodeURIComponent(name)}`
  const subAgent = ({ sessionId, agentId }: SubAgentRef) =>
    `${session(sessionId)}/agents/${encodeURIComponent(agentId)}`

  return {
    ...settingsApi(request),
    sessions: ({ query, cursor, view, folder }: SessionQuery = {}) => {
      const search = new URLSearchParams({ ...(view && { view }), ...(folder && { folder }) })
      if (query !== undefined && query !== '') search.set('q', query)
      if (cursor !== undefined) search.set('cursor', cursor)
      return json<SessionPage>('GET', `/ai/sessions?${search}`)
    },
    session: (id: string) => json<{ session: ListedSession }>('GET', session(id)),
    complete: async (text: string, signal: AbortSignal, most?: number) => {
      const query = new URLSearchParams({ text, ...(most !== undefined && { most: String(most) }) })
      const response = await request('GET', `/ai/complete?${query}`, { signal })
      return (await response.json()) as { items: PickItem[]; more: number }
    },
    changeSession: (id: string, patch: SessionPatch) => json<{ session: ListedSession }>('PATCH', session(id), patch),
    emptyTrash: () => json<{ deleted: string[] }>('DELETE', '/ai/trash'),
    folders: () => json<{ folders: Folder[] }>('GET', '/ai/folders'),
    addFolder: (name: string, parentFolderId: string | null) =>
      json<{ folder: Folder }>('POST', '/ai/folders', { name, parentFolderId }),
    changeFolder: (id: string, patch: { name?: string; parentFolderId?: string | null }) =>
      json<{ folder: Folder }>('PATCH', `/ai/folders/${encodeURIComponent(id)}`, patch),
    deleteFolder: (id: string) => request('DELETE', `/ai/folders/${encodeURIComponent(id)}`),
    /** Lines of JSON, see the route. */
    importFile: (file: Blob, signal: AbortSignal) =>
      request('POST', '/ai/sessions/import', { bytes: file.slice(0, file.size, 'application/octet-stream'), signal }),
    renameSession: (id: string, title: string) => json<unknown>('PATCH', session(id), { title }),
    setModel: (id: string, model: string) => json<unknown>('PATCH', session(id), { model }),
    setParams: (id: string, params: ParamValues) => json<{ session: ListedSession }>('PATCH', session(id), { params }),
    setMode: (id: string, mode: Mode) => json<{ session: ListedSession }>('PATCH', session(id), { mode }),
    deleteSession: (id: string) => request('DELETE', session(id)),
    messages: (id: string, { leaf, before, limit }: { leaf?: string; before?: string; limit: number }) => {
      const search = new URLSearchParams({ limit: String(limit) })
      if (leaf !== undefined) search.set('leaf', leaf)
      if (before !== undefined) search.set('before', before)
      return json<BranchPage>('GET', `${session(id)}/messages?${search}`)
    },

    /** Every message in little. */
    tree: (id: string) => json<{ messages: TreeMessage[] }>('GET', `${session(id)}/tree`),
    /** What the branch that the leaf ends did to files, after one of its messages. */
    changes: (id: string, { leaf, after }: { leaf: string; after?: string }) =>
      json<BranchChanges>(
        'GET',
        `${session(id)}/changes?${new URLSearchParams({ leaf, ...(after !== undefined && { after }) })}`,
      ),
    /** Where this text stands, in the branch that the leaf ends and beyond. */
    matches: async (id: string, { text, leaf }: { text: string; leaf?: string }, signal: AbortSignal) => {
      const search = new URLSearchParams({ text, ...(leaf !== undefined && { leaf }) })
      const response = await request('GET', `${session(id)}/matches?${search}`, { signal })
      return (await response.json()) as TextMatches
    },
    deleteMessage: (id: string, messageId: string) =>
      json<Removed>('DELETE', `${session(id)}/messages/${encodeURIComponent(messageId)}`),
    /** Deletes every branch but the newest through this message. */
    forkSession: (id: string, messageId: string) =>
      json<{ session: ListedSession }>('POST', `${session(id)}/fork`, { messageId }),
    keepBranch: (id: string, messageId: string) => json<Removed>('POST', `${session(id)}/keep`, { messageId }),
    undoRemoval: (id: string, removalId: string) =>
      json<{ restored: string[] }>('POST', `${session(id)}/removals/${encodeURIComponent(removalId)}/undo`),

    /** What the next call of this branch will be sent. */
    context: (id: string, leaf?: string) =>
      json<ContextInfo>(
        'GET',
        `${session(id)}/context${leaf === undefined ? '' : `?${new URLSearchParams({ leaf })}`}`,
      ),
    switchCompaction: (id: string, compactionId: string, off: boolean) =>
      json<{ compaction: DataParts['compaction'] }>(
        'PATCH',
        `${session(id)}/compactions/${encodeURIComponent(compactionId)}`,
        { off },
      ),

    /** Holds on while the run waits for a person. */
    /** A file as it is meant to be seen. */
    preview: async (id: string, path: string, signal: AbortSignal) => {
      const response = await request('GET', `${session(id)}/preview?${new URLSearchParams({ path })}`, { signal })
      return ((await response.json()) as { preview: FilePreview }).preview
    },
    startRun: (body: ChatBody, signal: AbortSignal) => request('POST', '/ai/chat?hold=1', { body, signal }),
    followRun: (id: string, after: number | undefined, signal: AbortSignal) =>
      request('GET', `${chat(id)}/stream${after === undefined ? '' : `?after=${after}`}`, { signal }),
    stopRun: (id: string) => request('POST', `${chat(id)}/stop`, { body: {} }),
    steerRun: (id: string, steering: { id: string; text: string; typedUrls?: string[] }) =>
      json<{ id: string; hints?: string[] }>('POST', `${chat(id)}/steer`, steering),

    subAgents: (sessionId: string) => json<{ agents: SubAgentInfo[] }>('GET', `${session(sessionId)}/agents`),
    subAgentMessages: (at: SubAgentRef, { before, limit }: { before?: string; limit: number }) => {
      const search = new URLSearchParams({ limit: String(limit) })
      if (before !== undefined) search.set('before', before)
      return json<BranchPage>('GET', `${subAgent(at)}/messages?${search}`)
    },
    followSubAgent: (at: SubAgentRef, after: number | undefined, signal: AbortSignal) =>
      request('GET', `${subAgent(at)}/stream${after === undefined ? '' : `?after=${after}`}`, { signal }),
    stopSubAgent: (at: SubAgentRef) => json<{ agent: SubAgentInfo }>('POST', `${subAgent(at)}/stop`, {}),
    tellSubAgent: (at: SubAgentRef, message: { id: string; text: string }) =>
      json<{ agent: SubAgentInfo }>('POST', `${subAgent(at)}/input`, message),
    /** A session of its own, with a copy of the conversation. */
    forkSubAgent: (at: SubAgentRef) => json<{ session: Session }>('POST', `${subAgent(at)}/fork`, {}),

    agents: () => json<AgentList>('GET', '/ai/agents'),
    addAgent: (name: string, definition: AgentDefinitionBody) =>
      json<{ agent: AgentInfo }>('POST', '/ai/agents', { name, ...definition }),
    changeAgent: (name: string, patch: Partial<AgentDefinitionBody>) =>
      json<{ agent: AgentInfo }>('PATCH', agent(name), patch),
    deleteAgent: (name: string) => request('DELETE', agent(name)),
    tools: () => json<{ tools: ToolInfo[] }>('GET', '/ai/tools'),

    asks: () => json<{ asks: Ask[] }>('GET', '/ai/asks'),
    /** `settled`: other asks that were answered by what is remembered with this one. */
    answerAsk: (id: string, answer: Answer, clientId?: string) =>
      json<{ ask: Ask; settled?: string[] }>('POST', `/ai/asks/${encodeURIComponent(id)}`, { answer, clientId }),
    models: () => json<ModelList>('GET', '/ai/models'),

    providers: () => json<{ providers: ProviderInfo[] }>('GET', '/ai/providers'),
    addProvider: (added: NewProvider) => json<{ provider: ProviderInfo }>('POST', '/ai/providers', added),
    changeProvider: (id: string, patch: ProviderPatch) =>
      json<{ provider: ProviderInfo; dropped: string[] }>('PATCH', provider(id), patch),
    testProvider: (id: string) => json<{ test: ProviderTest }>('POST', `${provider(id)}/test`, {}),
    deleteProvider: (id: string) => request('DELETE', provider(id)),

    /** Those that hold everywhere in the workspace, and those of the session if one is named. */
    rules: (sessionId?: string) => json<RuleList>('GET', `/ai/rules${of(sessionId)}`),
    addRule: (rule: NewRule) => json<{ rule: RuleInfo; settled: string[] }>('POST', '/ai/rules', rule),
    deleteRule: (id: string, sessionId?: string) =>
      request('DELETE', `/ai/rules/${encodeURIComponent(id)}${of(sessionId)}`),
    testRule: async (rule: { text: string; effect: Effect; sessionId?: string }, signal: AbortSignal) => {
      const response = await request('POST', '/ai/rules/test', { body: rule, signal })
      return (await response.json()) as RuleTest
    },

    mcp: () => json<McpList>('GET', '/ai/mcp'),
    addMcp: (server: McpEntry & { name: string }) => json<{ server: McpInfo }>('POST', '/ai/mcp', server),
    changeMcp: (name: string, patch: McpPatch) => json<{ server: McpInfo }>('PATCH', mcp(name), patch),
    deleteMcp: (name: string) => json<{ deleted: string }>('DELETE', mcp(name)),
    testMcp: (name: string) => json<{ test: McpTest; server: McpInfo }>('POST', `${mcp(name)}/test`, {}),
    trustMcp: (name: string, fingerprint: string) =>
      json<{ server: McpInfo }>('POST', `${mcp(name)}/trust`, { fingerprint }),
    /** Where the person has to go; null when they are logged in. */
    loginToMcp: (name: string) => json<{ url: string | null }>('POST', `${mcp(name)}/login`, {}),
    mcpLog: (name: string) => json<{ log: string }>('GET', `${mcp(name)}/log`),

    /** Lets go of bytes that were never sent. */
    deleteBlob: (url: string) => request('DELETE', url),
    addBlob: async (bytes: Blob, options: Pick<RequestOptions, 'signal' | 'onProgress'> = {}) => {
      const response = await request('POST', '/ai/blobs', { bytes, ...options })
      return (await response.json()) as { url: string; sha256: string }
    },

    /** The page says that it is there, and hears what tools ask it to do. */
    announceTab: (tab: TabNote) => json<{ calls: PageCall[]; others: number }>('POST', '/ai/tabs', tab),
    acknowledgeCall: (done: CallNote) => json<{ result: 'resolved' | 'stored' }>('POST', '/ai/tools/ack', done),
    /** A page of the web as text. `here`: the person wants one of this machine. */
    readWebPage: (url: string, here: boolean) =>
      json<{ page: ReadablePage }>('POST', '/ai/reader', { url, ...(here && { here }) }),
    file: (id: string, path: string, { secret = false } = {}) =>
      json<{ file: FileInfo }>('GET', `${filePath(id, path)}${secret ? '&secret=1' : ''}`),
    imagePath: (id: string, path: string) => `${filePath(id, path)}&raw=1`,
    blob: async (url: string) => (await request('GET', url)).blob(),
    backgroundTasks: (id: string) => json<{ tasks: TaskInfo[] }>('GET', `${session(id)}/tasks`),
    backgroundTask: async (
      id: string,
      taskId: string,
      { from, wait }: { from: number; wait: number },
      signal: AbortSignal,
    ) => {
      const search = new URLSearchParams({ from: String(from), wait: String(wait) })
      const response = await request('GET', `${session(id)}/tasks/${encodeURIComponent(taskId)}?${search}`, { signal })
      return (await response.json()) as TaskNews
    },
    stopTask: (id: string, taskId: string) =>
      json<{ task: TaskInfo }>('POST', `${session(id)}/tasks/${encodeURIComponent(taskId)}/stop`, {}),
    workspace: () => json<{ workspace: Workspace | undefined }>('GET', '/ai/workspace'),
  }
}

/** The routes that only the settings use. */
function settingsApi(request: Request) {
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await request(method, path, { body })
    return (await response.json()) as T
  }
  const staged = (id: string) => `/ai/skills/imports/${encodeURIComponent(id)}`
  return {
    skills: () => json<SkillList>('GET', '/ai/skills'),
    /** Unpacks what a folder or archive on the server's machine has, or a blob. */
    stageSkills: (source: { path: string } | { blob: string }) =>
      json<{ import: StagedSkills }>('POST', '/ai/skills/imports', source),
    acceptSkills: (id: string) => json<{ imported: string[] }>('POST', staged(id), {}),
    dropSkills: (id: string) => request('DELETE', staged(id)),
    hooks: () => json<HookList>('GET', '/ai/hooks'),
    trustWorkspace: (trusted: boolean) => json<{ workspace: Workspace }>('PATCH', '/ai/workspace', { trusted }),
    data: () => json<DataInfo>('GET', '/ai/data'),
    backUp: () => json<{ backup: DataInfo['backups'][number] }>('POST', '/ai/data/backup', {}),
    config: () => json<{ path: string; config: ConfigInfo }>('GET', '/ai/config'),
    changeConfig: (patch: ConfigPatch) => json<{ config: ConfigInfo }>('PATCH', '/ai/config', patch),
    mediaModels: (kind: 'image' | 'video') => json<{ models: ModelInfo[] }>('GET', `/ai/${kind}/models`),
    doctor: () => json<{ findings: Finding[] }>('GET', '/ai/doctor'),
    health: () => json<{ version: string }>('GET', '/health'),
  }
}

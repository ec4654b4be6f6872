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
  /** Agent of the session. Defaults to the master agent. */
  agent?: string
  params?: ParamValues
  typedUrls?: string[]
  clientId: string
  tabId: string
}

export type { ListedSession, SessionPage } from '@troupe/protocol'

interface SessionQuery {
  query?: string
  cursor?: string
  view?: SessionView
  /** Folder ID, or `none`. */
  folder?: string
}

/** Deleted item, with the name that restores it. */
export interface Removed {
  deleted: string[]
  removalId: string
}

interface FilePreview {
  path: string
  kind: PreviewKind
  size: number
  text?: string
  base64?: string
}

export interface PickItem {
  kind: 'command' | 'skill' | 'file' | 'folder' | 'agent'
  insert: string
  label: string
  detail: string
}

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
    /** JSON lines; see the route. */
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

    /** Returns a short form of every message. */
    tree: (id: string) => json<{ messages: TreeMessage[] }>('GET', `${session(id)}/tree`),
    /** Returns file changes on the branch ending at `leaf`, optionally only those after a message. */
    changes: (id: string, { leaf, after }: { leaf: string; after?: string }) =>
      json<BranchChanges>(
        'GET',
        `${session(id)}/changes?${new URLSearchParams({ leaf, ...(after !== undefined && { after }) })}`,
      ),
    /** Finds the text in the branch ending at `leaf` and in other branches. */
    matches: async (id: string, { text, leaf }: { text: string; leaf?: string }, signal: AbortSignal) => {
      const search = new URLSearchParams({ text, ...(leaf !== undefined && { leaf }) })
      const response = await request('GET', `${session(id)}/matches?${search}`, { signal })
      return (await response.json()) as TextMatches
    },
    deleteMessage: (id: string, messageId: string) =>
      json<Removed>('DELETE', `${session(id)}/messages/${encodeURIComponent(messageId)}`),
    /** Deletes every branch through this message except the newest. */
    forkSession: (id: string, messageId: string) =>
      json<{ session: ListedSession }>('POST', `${session(id)}/fork`, { messageId }),
    keepBranch: (id: string, messageId: string) => json<Removed>('POST', `${session(id)}/keep`, { messageId }),
    undoRemoval: (id: string, removalId: string) =>
      json<{ restored: string[] }>('POST', `${session(id)}/removals/${encodeURIComponent(removalId)}/undo`),

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
    forkSubAgent: (at: SubAgentRef) => json<{ session: Session }>('POST', `${subAgent(at)}/fork`, {}),

    agents: () => json<AgentList>('GET', '/ai/agents'),
    addAgent: (name: string, definition: AgentDefinitionBody) =>
      json<{ agent: AgentInfo }>('POST', '/ai/agents', { name, ...definition }),
    changeAgent: (name: string, patch: Partial<AgentDefinitionBody>) =>
      json<{ agent: AgentInfo }>('PATCH', agent(name), patch),
    deleteAgent: (name: string) => request('DELETE', agent(name)),
    tools: () => json<{ tools: ToolInfo[] }>('GET', '/ai/tools'),

    asks: () => json<{ asks: Ask[] }>('GET', '/ai/asks'),
    /** `settled` lists other asks that the remembered rule answered. */
    answerAsk: (id: string, answer: Answer, clientId?: string) =>
      json<{ ask: Ask; settled?: string[] }>('POST', `/ai/asks/${encodeURIComponent(id)}`, { answer, clientId }),
    models: () => json<ModelList>('GET', '/ai/models'),

    providers: () => json<{ providers: ProviderInfo[] }>('GET', '/ai/providers'),
    addProvider: (added: NewProvider) => json<{ provider: ProviderInfo }>('POST', '/ai/providers', added),
    changeProvider: (id: string, patch: ProviderPatch) =>
      json<{ provider: ProviderInfo; dropped: string[] }>('PATCH', provider(id), patch),
    testProvider: (id: string) => json<{ test: ProviderTest }>('POST', `${provider(id)}/test`, {}),
    deleteProvider: (id: string) => request('DELETE', provider(id)),

    /** Workspace rules, plus the session's rules if a session is given. */
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
    /** URL the user must visit to log in. Null if already logged in. */
    loginToMcp: (name: string) => json<{ url: string | null }>('POST', `${mcp(name)}/login`, {}),
    mcpLog: (name: string) => json<{ log: string }>('GET', `${mcp(name)}/log`),

    /** Deletes an uploaded blob that was never sent. */
    deleteBlob: (url: string) => request('DELETE', url),
    addBlob: async (bytes: Blob, options: Pick<RequestOptions, 'signal' | 'onProgress'> = {}) => {
      const response = await request('POST', '/ai/blobs', { bytes, ...options })
      return (await response.json()) as { url: string; sha256: string }
    },

    /** Announces the page to the server and returns pending page calls. */
    announceTab: (tab: TabNote) => json<{ calls: PageCall[]; others: number }>('POST', '/ai/tabs', tab),
    acknowledgeCall: (done: CallNote) => json<{ result: 'resolved' | 'stored' }>('POST', '/ai/tools/ack', done),
    /** Returns a web page as text. `here` allows pages on this machine. */
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

function settingsApi(request: Request) {
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await request(method, path, { body })
    return (await response.json()) as T
  }
  const staged = (id: string) => `/ai/skills/imports/${encodeURIComponent(id)}`
  return {
    skills: () => json<SkillList>('GET', '/ai/skills'),
    /** Unpacks skills from a folder or archive on the server's machine, or from a blob. */
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

import { addressOf, createCall } from '@troupe/client'
import type { Answer, Effect, Mode, SessionPatch, SessionView } from '@troupe/core'
import type { CallOf, ParamValues } from '@troupe/protocol'
import { inFolder } from './folder-scope.ts'
import type { NewProvider, ProviderPatch } from './providers.ts'
import type { Request, RequestOptions } from './request.ts'
import type { AgentDefinitionBody, CallNote, ChatBody, SubAgentRef, TabNote } from './session-types.ts'
import type { ConfigPatch, McpPatch, NewMcpServer, NewRule, UsageDays } from './settings-types.ts'
import { pageAccess } from './page-access.ts'

export type { ChatBody, ListedSession, PickItem, Removed, SessionPage } from './session-types.ts'

interface SessionQuery {
  query?: string
  cursor?: string
  view?: SessionView
  /** Folder ID, or `none`. */
  folder?: string
}

export type Api = ReturnType<typeof createApi>

/**
 * The page's requests. Paths, bodies and answers have the types of the HTTP contract. `folder` is that of `request`, for
 * addresses that the browser loads itself.
 */
export function createApi(request: Request, folder: string | null = null) {
  const call = createCall(request)
  const changeSession = (id: string, body: SessionPatch) => call('PATCH /ai/sessions/:id', { params: { id }, body })
  const subAgent = ({ sessionId, agentId }: SubAgentRef) => ({ id: sessionId, agentId })

  return {
    /** For parts of the page that load later. */
    call,
    sessions: ({ query, ...rest }: SessionQuery = {}) =>
      call('GET /ai/sessions', {
        query: {
          ...rest,
          q: query === '' ? undefined : query,
          // A team's page lists them separately.
          shared: rest.view === 'active' && pageAccess.isTeam() ? '0' : undefined,
        },
      }),
    session: (id: string) => call('GET /ai/sessions/:id', { params: { id } }),
    complete: (text: string, signal: AbortSignal, most?: number) =>
      call('GET /ai/complete', { query: { text, most }, signal }),
    changeSession,
    renameSession: (id: string, title: string) => changeSession(id, { title }),
    setModel: (id: string, model: string) => changeSession(id, { model }),
    setParams: (id: string, params: ParamValues) => changeSession(id, { params }),
    setMode: (id: string, mode: Mode) => changeSession(id, { mode }),
    deleteSession: (id: string) => call('DELETE /ai/sessions/:id', { params: { id } }),
    emptyTrash: () => call('DELETE /ai/trash'),
    problemsOf: (path: string, text: string) => call('POST /ai/language-servers/problems', { body: { path, text } }),
    worktrees: () => call('GET /ai/worktrees'),
    createWorktree: (body: CallOf<'POST /ai/worktrees'>['body']) => call('POST /ai/worktrees', { body }),
    setWorktreeSetup: (command: string | null) => call('PUT /ai/worktrees/setup', { body: { command } }),
    mergeWorktree: (id: string, squash: boolean) =>
      call('POST /ai/worktrees/:id/merge', { params: { id }, body: { squash } }),
    updateWorktree: (id: string) => call('POST /ai/worktrees/:id/update', { params: { id } }),
    discardWorktree: (id: string, force: boolean) =>
      call('POST /ai/worktrees/:id/discard', { params: { id }, body: { force } }),
    openPullRequest: (id: string, body: { title: string; body: string }) =>
      call('POST /ai/worktrees/:id/pull-request', { params: { id }, body }),
    folders: () => call('GET /ai/folders'),
    addFolder: (name: string, parentFolderId: string | null) =>
      call('POST /ai/folders', { body: { name, parentFolderId } }),
    changeFolder: (id: string, body: { name?: string; parentFolderId?: string | null }) =>
      call('PATCH /ai/folders/:id', { params: { id }, body }),
    deleteFolder: (id: string) => call('DELETE /ai/folders/:id', { params: { id } }),
    /** The response has JSON lines. */
    importFile: (file: Blob, signal: AbortSignal) =>
      request('POST', '/ai/sessions/import', { bytes: file.slice(0, file.size, 'application/octet-stream'), signal }),
    messages: (
      id: string,
      { limit, leaf, before, end }: { leaf?: string; before?: string; limit: number; end?: '1' },
    ) => call('GET /ai/sessions/:id/messages', { params: { id }, query: { limit, leaf, before, end } }),

    /** Returns a short form of every message. */
    tree: (id: string) => call('GET /ai/sessions/:id/tree', { params: { id } }),
    /** Returns file changes on the branch ending at `leaf`, optionally only those after a message. */
    changes: (id: string, query: { leaf: string; after?: string }) =>
      call('GET /ai/sessions/:id/changes', { params: { id }, query }),
    /** Finds the text in the branch ending at `leaf` and in other branches. */
    matches: (id: string, query: { text: string; leaf?: string }, signal: AbortSignal) =>
      call('GET /ai/sessions/:id/matches', { params: { id }, query, signal }),
    deleteMessage: (id: string, messageId: string) =>
      call('DELETE /ai/sessions/:id/messages/:messageId', { params: { id, messageId } }),
    rateAnswer: (
      id: string,
      messageId: string,
      body: CallOf<'PUT /ai/sessions/:id/messages/:messageId/feedback'>['body'],
    ) => call('PUT /ai/sessions/:id/messages/:messageId/feedback', { params: { id, messageId }, body }),
    removeFeedback: (id: string, messageId: string) =>
      call('DELETE /ai/sessions/:id/messages/:messageId/feedback', { params: { id, messageId } }),
    forkSession: (id: string, messageId: string) =>
      call('POST /ai/sessions/:id/fork', { params: { id }, body: { messageId } }),
    /** Deletes every branch through this message except the newest. */
    keepBranch: (id: string, messageId: string) =>
      call('POST /ai/sessions/:id/keep', { params: { id }, body: { messageId } }),
    undoRemoval: (id: string, removalId: string) =>
      call('POST /ai/sessions/:id/removals/:removalId/undo', { params: { id, removalId } }),

    context: (id: string, leaf?: string, pieces?: 'none') =>
      call('GET /ai/sessions/:id/context', { params: { id }, query: { leaf, pieces } }),
    switchCompaction: (id: string, compactionId: string, off: boolean) =>
      call('PATCH /ai/sessions/:id/compactions/:compactionId', { params: { id, compactionId }, body: { off } }),
    preview: async (id: string, path: string, signal: AbortSignal) =>
      (await call('GET /ai/sessions/:id/preview', { params: { id }, query: { path }, signal })).preview,
    artifact: (id: string, path: string, signal: AbortSignal) =>
      call('GET /ai/sessions/:id/artifact', { params: { id }, query: { path }, signal }),
    artifactVersion: async (id: string, artifact: string, version: number, signal: AbortSignal) =>
      (await call('GET /ai/sessions/:id/artifact/version', { params: { id }, query: { artifact, version }, signal }))
        .version,
    artifactDiff: (id: string, query: CallOf<'GET /ai/sessions/:id/artifact/diff'>['query'], signal: AbortSignal) =>
      call('GET /ai/sessions/:id/artifact/diff', { params: { id }, query, signal }),
    print: async (body: CallOf<'POST /ai/print'>['body']) => (await call.response('POST /ai/print', { body })).blob(),

    startRun: (body: ChatBody, signal: AbortSignal) =>
      call.response('POST /ai/chat', { body, query: { hold: '1' }, signal }),
    followRun: (sessionId: string, after: string | undefined, signal: AbortSignal) =>
      call.response('GET /ai/chat/:sessionId/stream', { params: { sessionId }, query: { after }, signal }),
    /** Stops every run of the session, or only the one that writes this answer. */
    stopRun: (sessionId: string, messageId?: string) =>
      call.response('POST /ai/chat/:sessionId/stop', { params: { sessionId }, query: { messageId } }),
    pickAnswer: (id: string, messageId: string) =>
      call('POST /ai/sessions/:id/pick', { params: { id }, body: { messageId } }),
    steerRun: (sessionId: string, body: CallOf<'POST /ai/chat/:sessionId/steer'>['body']) =>
      call('POST /ai/chat/:sessionId/steer', { params: { sessionId }, body }),

    subAgents: (id: string) => call('GET /ai/sessions/:id/agents', { params: { id } }),
    subAgentMessages: (at: SubAgentRef, query: { before?: string; limit: number }) =>
      call('GET /ai/sessions/:id/agents/:agentId/messages', { params: subAgent(at), query }),
    followSubAgent: (at: SubAgentRef, after: string | undefined, signal: AbortSignal) =>
      call.response('GET /ai/sessions/:id/agents/:agentId/stream', { params: subAgent(at), query: { after }, signal }),
    stopSubAgent: (at: SubAgentRef) => call('POST /ai/sessions/:id/agents/:agentId/stop', { params: subAgent(at) }),
    messageSubAgent: (at: SubAgentRef, body: { id: string; text: string }) =>
      call('POST /ai/sessions/:id/agents/:agentId/input', { params: subAgent(at), body }),
    forkSubAgent: (at: SubAgentRef) => call('POST /ai/sessions/:id/agents/:agentId/fork', { params: subAgent(at) }),

    agents: () => call('GET /ai/agents'),
    addAgent: (name: string, definition: AgentDefinitionBody) =>
      call('POST /ai/agents', { body: { name, ...definition } }),
    changeAgent: (name: string, body: Partial<AgentDefinitionBody>) =>
      call('PATCH /ai/agents/:name', { params: { name }, body }),
    deleteAgent: (name: string) => call('DELETE /ai/agents/:name', { params: { name } }),
    tools: () => call('GET /ai/tools'),

    /** Open asks of all folders. */
    asks: () => call('GET /ai/asks', { query: { folders: 'all' } }),
    /** `settled` lists other asks that the remembered rule answered. */
    answerAsk: (id: string, answer: Answer, clientId?: string) =>
      call('POST /ai/asks/:id', { params: { id }, body: { answer, clientId } }),
    models: (also: readonly string[] = []) =>
      call('GET /ai/models', { query: { also: also.length === 0 ? undefined : also.join(' ') } }),

    providers: () => call('GET /ai/providers'),
    addProvider: (body: NewProvider) => call('POST /ai/providers', { body }),
    changeProvider: (provider: string, body: ProviderPatch) =>
      call('PATCH /ai/providers/:provider', { params: { provider }, body }),
    testProvider: (provider: string) => call('POST /ai/providers/:provider/test', { params: { provider } }),
    tryKey: (provider: string, apiKey: string) =>
      call('POST /ai/providers/:provider/try-key', { params: { provider }, body: { apiKey } }),
    deleteProvider: (provider: string) => call('DELETE /ai/providers/:provider', { params: { provider } }),

    /** Workspace rules, plus the chat's rules if a chat is given. */
    rules: (sessionId?: string) => call('GET /ai/rules', { query: { sessionId } }),
    addRule: (body: NewRule) => call('POST /ai/rules', { body }),
    deleteRule: (id: string, sessionId?: string) =>
      call('DELETE /ai/rules/:id', { params: { id }, query: { sessionId } }),
    changeRule: (id: string, body: CallOf<'PATCH /ai/rules/:id'>['body']) =>
      call('PATCH /ai/rules/:id', { params: { id }, body }),
    explainCall: (one: { tool: string; input: unknown }, sessionId?: string) =>
      call('POST /ai/rules/explain', { body: { calls: [one], sessionId } }),
    testRule: (body: { text: string; effect: Effect; sessionId?: string }, signal: AbortSignal) =>
      call('POST /ai/rules/test', { body, signal }),

    mcp: () => call('GET /ai/mcp'),
    connections: () => call('GET /ai/connections'),
    addMcp: (body: NewMcpServer) => call('POST /ai/mcp', { body }),
    changeMcp: (name: string, body: McpPatch) => call('PATCH /ai/mcp/:name', { params: { name }, body }),
    deleteMcp: (name: string) => call('DELETE /ai/mcp/:name', { params: { name } }),
    testMcp: (name: string) => call('POST /ai/mcp/:name/test', { params: { name } }),
    trustMcp: (name: string, fingerprint: string) =>
      call('POST /ai/mcp/:name/trust', { params: { name }, body: { fingerprint } }),
    /** URL the user must visit to log in. Null if already logged in. */
    loginToMcp: (name: string) => call('POST /ai/mcp/:name/login', { params: { name } }),
    mcpLog: (name: string) => call('GET /ai/mcp/:name/log', { params: { name } }),

    /** Deletes an uploaded blob that was never sent. */
    deleteBlob: (url: string) => request('DELETE', url),
    addBlob: async (bytes: Blob, options: Pick<RequestOptions, 'signal' | 'onProgress'> = {}) => {
      const response = await request('POST', '/ai/blobs', { bytes, ...options })
      return (await response.json()) as { url: string; sha256: string }
    },

    /** Announces the page to the server and returns pending page calls. */
    announceTab: (body: TabNote) => call('POST /ai/tabs', { body }),
    acknowledgeCall: (body: CallNote) => call('POST /ai/tools/ack', { body }),
    /** Returns a web page as text. `here` allows pages on this machine. */
    readWebPage: (url: string, here: boolean) => call('POST /ai/reader', { body: { url, here: here || undefined } }),
    file: (id: string, path: string, { secret = false } = {}) =>
      call('GET /ai/sessions/:id/file', { params: { id }, query: { path, secret: secret ? '1' : undefined } }),
    imagePath: (id: string, path: string) =>
      inFolder(addressOf('/ai/sessions/:id/file', { params: { id }, query: { path, raw: 1 } }), folder),
    files: (query: CallOf<'GET /ai/files'>['query']) => call('GET /ai/files', { query }),
    searchFiles: (q: string, signal: AbortSignal) => call('GET /ai/files/search', { query: { q }, signal }),
    createFile: (path: string, kind: 'file' | 'folder') => call('POST /ai/files', { body: { path, kind } }),
    moveFile: (from: string, to: string) => call('POST /ai/files/move', { body: { from, to } }),
    /** Moves to the trash, unless `forever`. */
    deleteFile: (path: string, { forever = false } = {}) =>
      call('DELETE /ai/files', { query: { path, forever: forever ? '1' : undefined } }),
    fileTrash: () => call('GET /ai/files/trash'),
    restoreFile: (id: string) => call('POST /ai/files/trash/:id/restore', { params: { id } }),
    emptyFileTrash: () => call('DELETE /ai/files/trash'),
    fileContent: (path: string, { secret = false } = {}) =>
      call('GET /ai/files/content', { query: { path, secret: secret ? '1' : undefined } }),
    saveFile: (body: CallOf<'PUT /ai/files/content'>['body']) => call('PUT /ai/files/content', { body }),
    editFile: (body: CallOf<'POST /ai/files/edit'>['body'], signal: AbortSignal) =>
      call.response('POST /ai/files/edit', { body, signal }),
    uploadFile: (path: string, bytes: Blob, options: Pick<RequestOptions, 'signal' | 'onProgress'> = {}) =>
      request('POST', addressOf('/ai/files/upload', { query: { path } }), { bytes, ...options }),
    document: (query: CallOf<'GET /ai/documents'>['query'], signal?: AbortSignal) =>
      call('GET /ai/documents', { query, signal }),
    documentPages: (query: CallOf<'GET /ai/documents/pages'>['query'], signal: AbortSignal) =>
      call.response('GET /ai/documents/pages', { query, signal }),
    /** Address for the browser, as a download or to show it. */
    picturePath: (query: CallOf<'GET /ai/documents/picture'>['query']) =>
      inFolder(addressOf('/ai/documents/picture', { query }), folder),
    downloadPath: (path: string, { inline = false } = {}) =>
      inFolder(addressOf('/ai/files/download', { query: { path, inline: inline ? '1' : undefined } }), folder),
    fileEvents: (signal: AbortSignal) => call.response('GET /ai/files/events', { signal }),
    watchFolders: (id: string, folders: string[]) =>
      call('POST /ai/files/events/:id', { params: { id }, body: { folders } }),
    gitStatus: () => call('GET /ai/git/status'),
    blob: async (url: string) => (await request('GET', url)).blob(),
    startTerminal: (body: { columns?: number; rows?: number; folder?: string }) => call('POST /ai/terminals', { body }),
    endTerminal: (terminalId: string) => call('DELETE /ai/terminals/:terminalId', { params: { terminalId } }),
    /** For the WebSocket of the terminals. */
    terminalTicket: () => call('POST /ai/terminals/ticket', { body: {} }),
    backgroundTasks: (id: string) => call('GET /ai/sessions/:id/tasks', { params: { id } }),
    stopTask: (id: string, taskId: string) =>
      call('POST /ai/sessions/:id/tasks/:taskId/stop', { params: { id, taskId } }),
    workspace: () => call('GET /ai/workspace'),
    /** Recent folders. `session`: also says which folder has this chat. */
    recentFolders: (query: { chats?: number; session?: string } = {}) => call('GET /ai/workspaces', { query }),
    openFolder: (path: string, create?: boolean) => call('POST /ai/workspaces', { body: { path, create } }),
    removeFolder: (id: string) => call('DELETE /ai/workspaces/:id', { params: { id } }),
    completeFolder: (path: string, signal: AbortSignal) =>
      call('GET /ai/workspaces/complete', { query: { path }, signal }),
    trustWorkspace: (trusted: boolean) => call('PATCH /ai/workspace', { body: { trusted } }),

    agentFile: (path: string) => call('GET /ai/agent-files', { query: { path } }),
    changeAgentFile: (body: CallOf<'PATCH /ai/agent-files'>['body']) => call('PATCH /ai/agent-files', { body }),
    skills: () => call('GET /ai/skills'),
    addSkill: (body: CallOf<'POST /ai/skills'>['body']) => call('POST /ai/skills', { body }),
    enableSkill: (name: string, enabled: boolean) => call('PATCH /ai/skills', { body: { name, enabled } }),
    deleteSkill: (path: string) => call('DELETE /ai/skills', { query: { path } }),
    skillText: (path: string) => call('GET /ai/skills/text', { query: { path } }),
    changeSkill: (body: CallOf<'PATCH /ai/skills/text'>['body']) => call('PATCH /ai/skills/text', { body }),
    /** Unpacks skills from a folder or archive on the server's machine, or from a blob. */
    stageSkills: (body: { path: string } | { blob: string }) => call('POST /ai/skills/imports', { body }),
    acceptSkills: (id: string) => call('POST /ai/skills/imports/:id', { params: { id } }),
    dropSkills: (id: string) => call('DELETE /ai/skills/imports/:id', { params: { id } }),
    exportQuery: async (body: CallOf<'POST /ai/query/export'>['body']) =>
      (await call.response('POST /ai/query/export', { body })).blob(),
    usage: (days: UsageDays) => call('GET /ai/usage', { query: { days } }),
    instructions: () => call('GET /ai/instructions'),
    changeInstructions: (body: CallOf<'PATCH /ai/instructions'>['body']) => call('PATCH /ai/instructions', { body }),
    hooks: () => call('GET /ai/hooks'),
    addHook: (body: CallOf<'POST /ai/hooks'>['body']) => call('POST /ai/hooks', { body }),
    changeHook: (id: string, body: CallOf<'PATCH /ai/hooks/:id'>['body']) =>
      call('PATCH /ai/hooks/:id', { params: { id }, body }),
    deleteHook: (id: string) => call('DELETE /ai/hooks/:id', { params: { id } }),
    data: () => call('GET /ai/data'),
    backUp: () => call('POST /ai/data/backup'),
    config: () => call('GET /ai/config'),
    changeConfig: (body: ConfigPatch) => call('PATCH /ai/config', { body }),
    mediaModels: (kind: 'image' | 'video') => call(`GET /ai/${kind}/models`),
    /** Returns a text file, such as an export. */
    text: async (path: string) => (await request('GET', path)).text(),
    publishTarget: () => call('GET /ai/publish'),
    setPublishTarget: (target: CallOf<'PUT /ai/publish'>['body']['target']) =>
      call('PUT /ai/publish', { body: { target } }),
    published: (id: string) => call('GET /ai/sessions/:id/publish', { params: { id } }),
    publish: (id: string, body: { branch?: string; lang: string }) =>
      call('POST /ai/sessions/:id/publish', { params: { id }, body }),
    publishedPages: () => call('GET /ai/publish/pages'),
    unpublish: (name: string, query: { forget?: '1' } = {}) =>
      call('DELETE /ai/publish/pages/:name', { params: { name }, query }),
    transcriptionModels: () => call('GET /ai/transcribe/models'),
    speechModels: () => call('GET /ai/speech/models'),
    transcribe: async (recording: Blob, signal: AbortSignal) => {
      const response = await request('POST', '/ai/transcribe', { bytes: recording, signal })
      return (await response.json()) as { text: string }
    },
    /** Returns the audio of a text. */
    speech: async (text: string, signal: AbortSignal) =>
      (await request('POST', '/ai/speech', { body: { text }, signal })).blob(),
    doctor: () => call('GET /ai/doctor'),
    health: () => call('GET /health'),
  }
}

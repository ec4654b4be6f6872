import type { Answered, CallOf } from '@troupe/protocol'

export type { AgentInfo, AgentList, ListedSession, SessionPage } from '@troupe/protocol'

export type ChatBody = CallOf<'POST /ai/chat'>['body'] & { sessionId: string; clientId: string; tabId: string }
export type Removed = Answered<'DELETE /ai/sessions/:id/messages/:messageId'>
export type PickItem = Answered<'GET /ai/complete'>['items'][number]

export type SubAgentInfo = Answered<'GET /ai/sessions/:id/agents'>['agents'][number]
export interface SubAgentRef {
  sessionId: string
  agentId: string
}
export type AgentDefinitionBody = Required<Omit<CallOf<'POST /ai/agents'>['body'], 'name' | 'budget' | 'pageIds'>>
export type ToolInfo = Answered<'GET /ai/tools'>['tools'][number]

export type BranchChanges = Answered<'GET /ai/sessions/:id/changes'>
export type ContextInfo = Answered<'GET /ai/sessions/:id/context'>
export type ContextPiece = ContextInfo['pieces'][number]
export type PieceKind = ContextPiece['kind']
export type FileInfo = Answered<'GET /ai/sessions/:id/file'>['file']
export type TaskInfo = Answered<'GET /ai/sessions/:id/tasks'>['tasks'][number]

export type TabNote = CallOf<'POST /ai/tabs'>['body']
export type PageCall = Answered<'POST /ai/tabs'>['calls'][number]
export type CallNote = CallOf<'POST /ai/tools/ack'>['body']
export type ReadablePage = Answered<'POST /ai/reader'>['page']

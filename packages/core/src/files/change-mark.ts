import type { AgentState } from '../agent-state.ts'
import type { Blobs } from '../blobs.ts'
import type { ToolContext } from '../tool.ts'
import type { FileChange } from './change-files.ts'
import { factsOf } from './undo-folder.ts'
import type { ChangeMark, OpenChange } from './undo-journal.ts'

/** What the file tools need of a call. */
export type FilesContext = ToolContext & { state: AgentState; step?: number; blobs?: Blobs }

/** Under which call a change is journaled. */
export function markOf(ctx: FilesContext): ChangeMark {
  return {
    sessionId: ctx.session.id,
    ...(ctx.agent.agentId !== undefined && { agentId: ctx.agent.agentId }),
    messageId: ctx.messageId,
    runId: ctx.run.id,
    step: ctx.step ?? 0,
    toolCallId: ctx.toolCallId,
  }
}

/** Keeps what a file was, under this call, before it is changed. */
export function journalFor(ctx: FilesContext): (change: FileChange) => Promise<OpenChange> {
  const mark = markOf(ctx)
  return ({ path, before }) => ctx.state.undo.before(mark, path, before?.bytes ?? null, factsOf(before))
}

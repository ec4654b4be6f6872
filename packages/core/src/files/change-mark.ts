import type { ToolContext } from '../tool.ts'
import type { FileChange } from './change-files.ts'
import { fileFacts } from './undo-folder.ts'
import type { ChangeMark, OpenChange } from './undo-journal.ts'

/** Under which call a change is journaled. */
export function markOf(ctx: ToolContext): ChangeMark {
  return {
    sessionId: ctx.session.id,
    ...(ctx.agent.agentId !== undefined && { agentId: ctx.agent.agentId }),
    messageId: ctx.messageId,
    runId: ctx.run.id,
    step: ctx.run.step,
    toolCallId: ctx.toolCallId,
  }
}

/** Keeps what a file was, under this call, before it is changed. */
export function journalFor(ctx: ToolContext): (change: FileChange) => Promise<OpenChange> {
  const mark = markOf(ctx)
  return ({ path, before, replaced, folder }) =>
    ctx.state.undo.before(mark, path, before?.bytes ?? null, {
      ...fileFacts(before),
      ...(replaced !== undefined && { replaced }),
      ...(folder !== undefined && { folder }),
    })
}

import path from 'node:path'
import { type AgentState, isInside, realPath, type Session, type Store, undoable, type Workspace } from '@troupe/core'
import { changeEndpoints, NamedError, type Reverted } from '@troupe/protocol'
import type { AgentStates } from '../agents/agent-states.ts'
import { implement, type Route } from '../http/route.ts'
import { findSession, findWorkspace } from '../http/scope.ts'
import type { RunManager } from '../runs/run-types.ts'
import { changedFiles, type ChatFiles, findRewind, listTurns, previewRewind } from './chat-changes.ts'
import type { CommittedFiles } from './command-files.ts'
import { nothingToRevert, personMark, revertCalls, revertFile, toReverted } from './revert.ts'

interface CheckpointOptions {
  store: Store
  states: Pick<AgentStates, 'undo' | 'forgetReads'> & {
    of(session: Session, workspace: Workspace): Pick<AgentState, 'roots' | 'undo'>
  }
  workspaces: { of(session: Session): Promise<Workspace> }
  runs: Pick<RunManager, 'assertFree'>
  committed: CommittedFiles
}

/** Routes for the changes of a chat, and for undoing them. */
export function checkpointRoutes({ store, states, workspaces, runs, committed }: CheckpointOptions): Route[] {
  const { 'GET /ai/sessions/:id/changes': _, ...endpoints } = changeEndpoints

  async function open(id: string, workspaceId: string): Promise<ChatFiles> {
    const session = await findSession(store, id, workspaceId)
    const workspace = await workspaces.of(session)
    return { store, sessionId: session.id, state: states.of(session, workspace), workspace, committed }
  }

  function noted(reverted: Reverted, root: string): Reverted {
    states.forgetReads([...reverted.restored, ...reverted.removed].map((file) => path.resolve(root, file)))
    return reverted
  }

  async function rewind(chat: ChatFiles, since: string, version: string): Promise<Reverted> {
    await runs.assertFree(chat.sessionId)
    const found = await findRewind(chat, since)
    if (found.version !== version)
      throw new NamedError('ChangesMoved', 'Files have changed since the preview. Look at it again.', { status: 409 })
    if (found.changes.length === 0) throw nothingToRevert()
    const mark = personMark(chat.sessionId)
    return toReverted(await chat.state.undo.undo(found.changes, mark), mark, chat.state.roots[0] ?? '/')
  }

  return implement(endpoints, {
    'GET /ai/sessions/:id/turns': async ({ params, workspaceId }) => ({
      turns: await listTurns(await open(params.id, workspaceId)),
    }),
    'GET /ai/sessions/:id/changed': async ({ params, query, workspaceId }) => {
      const { turn, call, secret, offset = 0, limit = 50 } = query
      return changedFiles(await open(params.id, workspaceId), { turn, call, secret: secret === '1', offset, limit })
    },
    'POST /ai/sessions/:id/revert': async ({ params, body, workspaceId }) => {
      const chat = await open(params.id, workspaceId)
      const root = chat.state.roots[0] ?? '/'
      if ('path' in body) return noted(await revertFile(chat, body), root)
      if ('since' in body) return noted(await rewind(chat, body.since, body.version), root)
      return noted(await revertCalls(chat, body), root)
    },
    'GET /ai/sessions/:id/checkpoint': async ({ params, query, workspaceId }) => {
      const chat = await open(params.id, workspaceId)
      const found = await findRewind(chat, query.message ?? '')
      const { files, skipped } = await previewRewind(chat, found)
      const commands = found.commands.map(({ command }) => command).slice(-50)
      return { files, skipped, commands, version: found.version }
    },
    'POST /ai/reverts/:revertId/undo': async ({ params, workspaceId }) => {
      const folder = realPath((await findWorkspace(store, workspaceId)).path).path
      const changes = await states.undo.list({ toolCallId: params.revertId })
      const todo = undoable(changes).filter((change) => isInside(change.path, folder))
      const [first] = todo
      if (first === undefined || !params.revertId.startsWith('revert_')) throw nothingToRevert()
      const mark = personMark(first.mark.sessionId)
      return noted(toReverted(await states.undo.undo(todo, mark), mark, folder), folder)
    },
  })
}

import type { Comment, SessionRight, Sharing } from '@troupe/protocol'
import { useEffect } from 'react'
import { create } from 'zustand'
import type { Api } from '../api/api.ts'
import { useTeam } from '../state/team.tsx'
import { t } from '../texts/t.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface Watcher {
  id: string
  name: string
}

/** People around one chat. */
interface ChatPeople {
  watchers: readonly Watcher[]
  comments: readonly Comment[]
  right: SessionRight
}

const nobody: ChatPeople = { watchers: [], comments: [], right: 'read' }
const everyMs = 20_000

/** By chat. Only the chat in view is kept current. */
const useChats = create<Record<string, ChatPeople>>(() => ({}))

export function useChatPeople<Value>(sessionId: string, select: (chat: ChatPeople) => Value): Value {
  return useChats((state) => select(state[sessionId] ?? nobody))
}

function change(sessionId: string, fields: Partial<ChatPeople>): void {
  useChats.setState((state) => ({ [sessionId]: { ...(state[sessionId] ?? nobody), ...fields } }))
}

/** Says that the person watches the chat, and reads who else does, and comments. Repeats it while the page is visible. */
export function useWatch(sessionId: string): void {
  const { api } = useWorkspace()
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void refresh(api, sessionId)
    }
    look()
    const timer = setInterval(look, everyMs)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
      // If this fails, the server notices on its own later.
      api
        .call('POST /ai/sessions/:id/presence', { params: { id: sessionId }, body: { left: true } })
        .catch(() => undefined)
    }
  }, [api, sessionId])
}

async function refresh(api: Api, sessionId: string): Promise<void> {
  const params = { id: sessionId }
  try {
    const [{ people }, { comments }, { sharing }] = await Promise.all([
      api.call('POST /ai/sessions/:id/presence', { params, body: {} }),
      api.call('GET /ai/sessions/:id/comments', { params }),
      api.call('GET /ai/sessions/:id/sharing', { params }),
    ])
    change(sessionId, { watchers: people, comments, right: sharing.own })
    noteRight(sessionId, sharing)
  } catch {
    // The chat itself reports that it is gone or that the server is away.
    change(sessionId, { watchers: [] })
  }
}

/** A chat that the person may only read has no message box, and others decide in it. */
function noteRight(sessionId: string, { own, remember: scopes }: Sharing): void {
  const mayWrite = own !== 'read' && own !== 'comment'
  const mayApprove = own === 'approve' || own === 'manage'
  useTeam.setState(({ readOnly, noApproval, remember }) => ({
    remember: { ...remember, [sessionId]: scopes },
    readOnly: noted(readOnly, sessionId, mayWrite ? undefined : t.team.shared.readOnly),
    noApproval: noted(noApproval, sessionId, mayApprove ? undefined : t.team.shared.noApproval),
  }))
}

function noted(reasons: Readonly<Record<string, string>>, sessionId: string, reason: string | undefined) {
  const { [sessionId]: _, ...others } = reasons
  return reason === undefined ? others : { ...others, [sessionId]: reason }
}

export async function refreshComments(api: Api, sessionId: string): Promise<void> {
  const { comments } = await api.call('GET /ai/sessions/:id/comments', { params: { id: sessionId } })
  change(sessionId, { comments })
}

/** Events of a live run: somebody came, left or commented. */
export function onTeamEvent(api: Api, sessionId: string, { name, data }: { name: string; data?: unknown }): void {
  if (name === 'session-presence') {
    const { people } = (data ?? {}) as { people?: unknown }
    if (Array.isArray(people)) change(sessionId, { watchers: people.filter(isWatcher) })
  }
  // The next look reads them otherwise.
  if (name === 'session-comment') refreshComments(api, sessionId).catch(() => undefined)
}

function isWatcher(value: unknown): value is Watcher {
  const { id, name } = Object(value) as Record<string, unknown>
  return typeof id === 'string' && typeof name === 'string'
}

import { newId, type Session, type Store } from '@troupe/core'

/** A new session that holds the messages down to this one. What belongs to runs, agents at work for instance, stays behind. */
export function forkSession(store: Store, from: Session, messageId: string): Promise<Session> {
  const { workspaceId, title, model, agent, folderId, params } = from
  // That nothing asks was said of that session alone.
  const mode = from.mode === 'bypass' ? 'default' : from.mode
  const id = newId('ses_')
  return store.transaction(async (inside) => {
    const messages = await inside.messages.chain({ sessionId: from.id }, messageId)
    await inside.sessions.create({ id, workspaceId })
    for (const message of messages) await inside.messages.add({ sessionId: id }, message)
    return inside.sessions.update(id, { title, model, agent, mode, folderId, ...(params && { params }) })
  })
}

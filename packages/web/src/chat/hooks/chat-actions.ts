import type { SessionActions } from '../session-services.ts'

const names = [
  // Saying something.
  'send',
  'enqueue',
  'dequeue',
  'sendQueued',
  'retryUnsent',
  'takeBackUnsent',
  'steer',
  'stop',
  'answer',
  'setDraft',
  'attach',
  'attachText',
  'detach',
  // What can be done to messages.
  'edit',
  'regenerate',
  'goOn',
  'remove',
  'keepOnly',
  'switchCompaction',
  // Looking at them.
  'showBranch',
  'goTo',
  'loadOlder',
] as const

export type SessionChatActions = Pick<SessionActions, (typeof names)[number]> & Pick<SessionActions['panels'], 'open'>

/** What a session offers to whoever extends the page. */
export function chatActions(store: SessionActions): SessionChatActions {
  const actions = Object.fromEntries(names.map((name) => [name, store[name]]))
  return { ...(actions as unknown as SessionChatActions), open: store.panels.open }
}

import type { AgentRecord, Ask, Conversation, RunRecord, Store } from '@troupe/core'
import type { Frame, StoredMessage } from '@troupe/protocol'

export interface OpenedStore {
  store: Store
  reopen: () => Promise<Store>
  dispose: () => Promise<void>
}

export function message(
  id: string,
  parentMessageId: string | null,
  text = id,
  more: Partial<StoredMessage> = {},
): StoredMessage {
  return {
    id,
    parentMessageId,
    role: id.startsWith('a') ? 'assistant' : 'user',
    parts: [{ type: 'text', text }],
    createdAt: 1000,
    ...more,
  }
}

/** `u1 > a1 > u2 > a2 …` */
export async function addLine(store: Store, at: Conversation, length: number): Promise<void> {
  await store.transaction(async (inside) => {
    let parent: string | null = null
    for (let i = 0; i < length; i++) {
      const id: string = `${i % 2 === 0 ? 'u' : 'a'}${Math.floor(i / 2) + 1}`
      await inside.messages.add(at, message(id, parent, `text of ${id}`))
      parent = id
    }
  })
}

export function runRecord(id: string, sessionId: string, more: Partial<RunRecord> = {}): RunRecord {
  return {
    id,
    sessionId,
    agentId: null,
    userMessageId: 'u1',
    messageId: 'a1',
    status: 'running',
    request: { model: 'demo/tour' },
    fromNumber: 0,
    createdAt: 1,
    endedAt: null,
    ...more,
  }
}

export function ask(id: string, sessionId: string, more: Partial<Ask> = {}): Ask {
  return {
    id,
    kind: 'approval',
    sessionId,
    runId: 'r1',
    agentPath: ['master'],
    toolCallId: `call-${id}`,
    toolName: 'Write',
    input: { path: 'a.txt' },
    title: 'Write a.txt',
    content: null,
    reason: 'writes ask',
    rule: null,
    createdAt: 5,
    closedAt: null,
    answer: null,
    ...more,
  }
}

export function textFrame(runId: string, seq: number, from: number, text: string, id = '0'): Frame {
  return { runId, seq, from, to: from + text.length, items: [{ type: 'text-delta', id, delta: text }] }
}

export function agentRecord(sessionId: string, agentId: string, parentAgentId: string | null = null): AgentRecord {
  return {
    sessionId,
    agentId,
    parentAgentId,
    name: 'explorer',
    task: 'look around',
    agentType: 'explore',
    status: 'running',
    title: 'Looking around',
    runId: null,
    createdAt: 3,
    updatedAt: 3,
  }
}

/** A store with two workspaces and a session `s1` in the first. */
export interface ContractSetup {
  store: Store
  workspaceId: string
  otherWorkspaceId: string
  reopen: () => Promise<Store>
}

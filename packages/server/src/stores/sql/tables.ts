import type { StoredMessage } from '@troupe/protocol'

/**
 * Tables common to all dialects: ids and JSON as text, times as integer milliseconds, flags as 0 and 1. `agent_id` is
 * '' in a session's own chat and `parent_id` is '' at a root, so that keys contain no nulls.
 */
export interface Tables {
  workspace: { id: string; path: string; trusted: number; created_at: number }
  project: { id: string; workspace_id: string; parent_id: string | null; path: string; created_at: number }
  folder: { id: string; workspace_id: string; parent_id: string | null; name: string; created_at: number }
  session: {
    id: string
    workspace_id: string
    project_id: string | null
    title: string
    /** 1 once the user set the title, or the application did at creation. */
    renamed: number
    /** 1 until the first user message sets the title. */
    untitled: number
    pinned: number
    archived: number
    folder_id: string | null
    trashed_at: number | null
    model: string | null
    agent: string | null
    mode: string
    /** JSON: the user's allow, deny and ask rules for this session. */
    rules: string
    /** JSON: model settings by name. */
    params: string
    message_count: number
    /** Orders everything in the session. Grows with each message and each change of an ask. */
    seq: number
    /** Highest number of deleted run logs, since numbers are never reused. */
    last_number: number
    created_at: number
    updated_at: number
  }
  message: {
    session_id: string
    agent_id: string
    id: string
    parent_id: string
    seq: number
    role: string
    created_at: number
    metadata: string | null
    parts: string
  }
  agent: {
    session_id: string
    agent_id: string
    parent_agent_id: string | null
    name: string
    task: string
    agent_type: string
    status: string
    title: string
    run_id: string | null
    /** JSON */
    details: string | null
    created_at: number
    updated_at: number
  }
  run: {
    id: string
    session_id: string
    agent_id: string | null
    user_message_id: string
    message_id: string
    status: string
    request: string
    from_number: number
    created_at: number
    ended_at: number | null
  }
  frame: { run_id: string; seq: number; from_number: number; to_number: number; items: string }
  ask: {
    id: string
    session_id: string
    run_id: string
    seq: number
    created_at: number
    closed_at: number | null
    answer: string | null
    data: string
  }
  call: { session_id: string; tool_call_id: string }
  definition: RecordTable
  rule: RecordTable
  setting: { key: string; value: string }
  /** Verified extent of each exported file: its first `size` bytes contain everything up to `seq`. */
  export_state: { session_id: string; stream: string; seq: number; line_start: number | null; size: number }
  /** Sessions whose files may differ from their stored marks. */
  export_dirty: { session_id: string }
  /** Deleted sessions whose exported folder must still be removed. */
  deleted_session: { id: string }
}

interface RecordTable {
  workspace_id: string
  name: string
  data: string
}

/** The stream of asks. Message streams are named '' or by agent id, which never contains '$'. */
export const asksStream = '$asks'

/** Returns a stream's file relative to the session's folder. */
export function streamFile(stream: string): string {
  if (stream === '') return 'messages.jsonl'
  return stream === asksStream ? 'asks.jsonl' : `agents/${stream}/messages.jsonl`
}

/** Returns a message's own columns. The JSON is well-formed Unicode without U+0000, whatever the message contains. */
export function messageColumns(message: StoredMessage) {
  return {
    id: message.id,
    parent_id: message.parentMessageId ?? '',
    role: message.role,
    created_at: message.createdAt,
    metadata: metadataText(message.metadata),
    parts: JSON.stringify(message.parts),
  }
}

export function toStoredMessage(row: Tables['message']): StoredMessage {
  return {
    id: row.id,
    parentMessageId: row.parent_id === '' ? null : row.parent_id,
    role: row.role as StoredMessage['role'],
    parts: JSON.parse(row.parts) as StoredMessage['parts'],
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as NonNullable<StoredMessage['metadata']> }),
    createdAt: row.created_at,
  }
}

export function metadataText(metadata: StoredMessage['metadata']): string | null {
  return metadata === undefined ? null : JSON.stringify(metadata)
}

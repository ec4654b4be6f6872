import type { StoredMessage } from '@troupe/protocol'

/**
 * The tables as every dialect has them: ids and JSON as text, times as integer milliseconds, flags as 0 and 1.
 * `agent_id` is '' in a session's own conversation and `parent_id` is '' at a root, so that keys hold no nulls.
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
    /** 1 once the title came from a person, or from the application at creation. */
    renamed: number
    /** 1 until the first user message has named the session. */
    untitled: number
    pinned: number
    archived: number
    folder_id: string | null
    trashed_at: number | null
    model: string | null
    agent: string | null
    mode: string
    /** JSON: what the person allowed, refused or wants to be asked here. */
    rules: string
    /** JSON: chosen settings of the model, by name. */
    params: string
    message_count: number
    /** Orders everything that belongs to the session; grows with each message and each change of an ask. */
    seq: number
    /** Numbers of run logs that were removed with their messages: numbers are never used twice. */
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
  /** Ids that calls of the session have used. */
  call: { session_id: string; tool_call_id: string }
  definition: RecordTable
  rule: RecordTable
  setting: { key: string; value: string }
  /** How far each exported file is known to be right: it holds everything up to `seq` in its first `size` bytes. */
  export_state: { session_id: string; stream: string; seq: number; line_start: number | null; size: number }
  /** Sessions whose files may differ from their stored marks. */
  export_dirty: { session_id: string }
  /** Deleted sessions whose exported folder is still to be removed. */
  deleted_session: { id: string }
}

interface RecordTable {
  workspace_id: string
  name: string
  data: string
}

/** The stream of asks beside the streams of messages, which are named '' and by agent ids (these hold no '$'). */
export const asksStream = '$asks'

/** Where the lines of a stream are, from the session's folder. */
export function streamFile(stream: string): string {
  if (stream === '') return 'messages.jsonl'
  return stream === asksStream ? 'asks.jsonl' : `agents/${stream}/messages.jsonl`
}

/** A message's own columns. JSON text is well-formed Unicode without U+0000 whatever the message holds. */
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

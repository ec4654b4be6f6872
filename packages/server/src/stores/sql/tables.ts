/**
 * Tables common to all dialects: ids and JSON as text, times as integer milliseconds, flags as 0 and 1. `agent_id` is
 * '' in a session's own chat and `parent_id` is '' at a root, so that keys contain no nulls.
 */
export interface Tables {
  workspace: {
    id: string
    path: string
    trusted: number
    created_at: number
    identity: string | null
    opened_at: number | null
    unlisted: number
    /** Names the disk that the folder is on. Empty for a single process. */
    place: string
  }
  /** Folders the user trusts, by identity. */
  trusted_folder: { identity: string; path: string; trusted_at: number }
  project: {
    id: string
    workspace_id: string
    parent_id: string | null
    path: string
    /** Null: the name of the folder. */
    name: string | null
    created_at: number
  }
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
    owner_id: string | null
    visibility: string
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
  /** Totals of model calls. `day` is a local date, `cost` in US dollars. */
  usage: {
    day: string
    model: string
    folder: string
    /** Empty outside team mode. */
    person: string
    calls: number
    input_tokens: number
    cached_tokens: number
    output_tokens: number
    cost: number
    unpriced_tokens: number
  }
  member: { person_id: string; role: string; created_at: number; mentions_seen_at: number }
  /** A row is deleted when its link is used. `email` is '' for the link that creates the owner. */
  invitation: {
    id: string
    token_hash: string
    email: string
    role: string
    invited_by: string | null
    created_at: number
    expires_at: number
  }
  /** `subject` is `person:<id>` or `role:<name>`. */
  workspace_grant: { workspace_id: string; subject: string; right: string }
  session_share: { session_id: string; person_id: string; right: string; created_at: number }
  share_link: {
    id: string
    session_id: string
    token_hash: string
    created_by: string
    created_at: number
    expires_at: number
  }
  comment: {
    id: string
    session_id: string
    message_id: string
    author_id: string
    text: string
    created_at: number
  }
  comment_mention: { comment_id: string; person_id: string }
  presence: { session_id: string; person_id: string; since: number; seen_at: number }
  /** Attempts since a time, by address or account. */
  rate_limit: { key: string; count: number; since: number }
  /** Blobs that a chat contains, by origin: its attachments and what its runs made. */
  session_blob: { sha256: string; session_id: string }
  /** Blobs that a person uploaded. */
  person_blob: { sha256: string; person_id: string }
  /** Append-only, see `governance/audit.ts`. */
  audit_entry: {
    id: number
    at: number
    actor: string
    action: string
    target_type: string
    target: string
    outcome: string
    request_id: string
    address: string
    detail: string
  }
  audit_term: { term: string; id: number }
  /** Personal data that entries refer to. */
  audit_alias: { id: string; person_id: string; kind: string; label: string }
  /** Encrypted values, see `governance/secrets.ts`. `owner` is a person, or '' for the organization. */
  secret: { owner: string; name: string; value: string; updated_at: number }
  /** Encryption keys, wrapped by a key management service. */
  data_key: { id: string; wrapped: string; created_at: number }
  /** Started runs per minute. */
  rate_count: { name: string; minute: number; count: number }
  team_setting: { name: string; value: string; version: number; updated_at: number }
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

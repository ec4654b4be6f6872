/**
 * Views of our own database that a model may read: the chats of one workspace, and the costs of all. Settings, rules,
 * trusted folders, open approvals and requests have none.
 */
export function ownViews(workspaceId: string): Record<string, string> {
  const own = `'${workspaceId.replaceAll("'", "''")}'`
  const time = (column: string): string => `strftime('%Y-%m-%d %H:%M:%S', ${column} / 1000, 'unixepoch')`
  const chats = `select id from main.session where workspace_id = ${own} and trashed_at is null`
  return {
    usage:
      'select day, model, folder, calls, input_tokens, cached_tokens, output_tokens, cost, unpriced_tokens from main.usage',
    chats: `select id, title, model, agent, mode, message_count as messages, pinned, archived, ${time('created_at')} as created_at, ${time('updated_at')} as updated_at from main.session where workspace_id = ${own} and trashed_at is null`,
    messages: `select session_id as chat_id, id, role, ${time('created_at')} as created_at, (select group_concat(json_extract(value, '$.text'), char(10)) from json_each(parts) where json_extract(value, '$.type') = 'text') as text from main.message where agent_id = '' and session_id in (${chats})`,
    runs: `select id, session_id as chat_id, status, ${time('created_at')} as started_at, ${time('ended_at')} as ended_at, (ended_at - created_at) / 1000.0 as seconds from main.run where session_id in (${chats})`,
    tool_calls: `select m.session_id as chat_id, m.id as message_id, substr(json_extract(p.value, '$.type'), 6) as tool, json_extract(p.value, '$.state') as state, ${time('m.created_at')} as created_at from main.message m, json_each(m.parts) p where json_extract(p.value, '$.type') like 'tool-%' and m.session_id in (${chats})`,
  }
}

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '../packages/server/src/stores/sqlite.ts'

export interface LargeHome {
  home: string
  workspace: string
  sessions: number
  messagesEach: number
}

const words = 'the quick brown fox jumps over a lazy dog while some other people read about rivers and mountains'.split(
  ' ',
)

/**
 * Creates a home like after years of use, with its exported files. Rows are written directly, because the store would
 * take far longer; the store creates the tables. "the" is in every message, "rivers" in few, and `needle-7` in one.
 */
export async function makeLargeHome({ home, workspace, sessions, messagesEach }: LargeHome): Promise<void> {
  mkdirSync(workspace, { recursive: true })
  const store = await openSqliteStore({ home })
  const { id: workspaceId } = await store.workspaces.open(workspace)
  await store.close()
  const db = new DatabaseSync(path.join(home, 'troupe.db'))
  db.exec('pragma synchronous = off; pragma journal_mode = wal')
  const [session, message, text, state] = [
    `insert into session (id, workspace_id, title, renamed, untitled, pinned, archived, mode, rules, params,
      message_count, seq, last_number, created_at, updated_at)
      values (?, ?, ?, 1, 0, 0, 0, 'default', '[]', '{}', ?, ?, 0, ?, ?)`,
    "insert into message (session_id, agent_id, id, parent_id, seq, role, created_at, parts) values (?, '', ?, ?, ?, ?, ?, ?)",
    'insert into message_text (session_id, message_id, text) values (?, ?, ?)',
    'insert into export_state (session_id, stream, seq, line_start, size) values (?, ?, ?, ?, ?)',
  ].map((sql) => db.prepare(sql)) as [Statement, Statement, Statement, Statement]
  const start = 1_600_000_000_000
  db.exec('begin')
  for (let s = 0; s < sessions; s++) {
    if (s % 500 === 499) db.exec('commit; begin')
    const id = `ses_${String(s).padStart(6, '0')}`
    const title = `Chat ${s} about ${words[s % words.length]}`
    const at = start + s * 60_000
    session.run(id, workspaceId, title, messagesEach, messagesEach, at, at)
    text.run(id, '', title.toLowerCase())
    const lines: string[] = []
    for (let m = 0; m < messagesEach; m++) {
      const said = sentence(s * messagesEach + m)
      const [own, parent, role] = [`m${m}`, m === 0 ? '' : `m${m - 1}`, m % 2 === 0 ? 'user' : 'assistant']
      const parts = JSON.stringify([{ type: 'text', text: said }])
      message.run(id, own, parent, m + 1, role, at + m, parts)
      text.run(id, own, said.toLowerCase())
      const parentId = m === 0 ? null : parent
      lines.push(
        `{"id":"${own}","parentMessageId":${JSON.stringify(parentId)},"role":"${role}","parts":${parts},"createdAt":${at + m}}\n`,
      )
    }
    const folder = path.join(home, 'sessions', id)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const written = lines.join('')
    writeFileSync(path.join(folder, 'messages.jsonl'), written)
    writeFileSync(path.join(folder, 'session.json'), JSON.stringify({ id, title, createdAt: at, updatedAt: at }))
    const size = Buffer.byteLength(written)
    state.run(id, '', messagesEach, size - Buffer.byteLength(lines.at(-1) ?? ''), size)
    state.run(id, '$asks', 0, null, 0)
  }
  db.exec('commit; pragma wal_checkpoint(truncate)')
  db.close()
}

type Statement = ReturnType<DatabaseSync['prepare']>

function sentence(n: number): string {
  const rare = n % 1000 === 7 ? ` needle-${n}` : ''
  const some = Array.from({ length: 40 }, (_, i) => words[(n * 7 + i * (1 + (n % 5))) % (words.length - 5)])
  return `In message ${n} the point is: ${some.join(' ')}${rare}.`
}

import { Worker } from 'node:worker_threads'
import type { Part } from '@troupe/protocol'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import type { ReadAnswer, ReadRequest } from './read-thread-worker.ts'
import { cjkPairs, isCjk, searchText } from './sql/message-text.ts'
import { type AnyDb, type Db, type SearchIndex, statement } from './sql/context.ts'
import { visibleTo } from './sql/visible.ts'

/** The trigram index needs three characters. Shorter terms use the pair index or a text scan. */
const shortest = 3

/** Search tables by schema version. Like migrations, they never change after their release. */
export const sqliteSearchMigrations: Record<number, (db: AnyDb) => Promise<void>> = {
  async 1(db) {
    const statements = [
      sql`create table message_text (
        id integer primary key,
        session_id text not null references session (id) on delete cascade,
        message_id text not null,
        text text not null,
        unique (session_id, message_id))`,
      // Trigrams find parts of words, and words in languages without spaces. Only message_text stores the text.
      // Triggers sync the index, even when deleting a session cascades.
      sql`create virtual table message_search using fts5 (
        text, content = 'message_text', content_rowid = 'id', tokenize = 'trigram')`,
      sql`create trigger message_text_added after insert on message_text begin
        insert into message_search (rowid, text) values (new.id, new.text);
      end`,
      sql`create trigger message_text_removed after delete on message_text begin
        insert into message_search (message_search, rowid, text) values ('delete', old.id, old.text);
      end`,
      sql`create trigger message_text_changed after update on message_text begin
        insert into message_search (message_search, rowid, text) values ('delete', old.id, old.text);
        insert into message_search (rowid, text) values (new.id, new.text);
      end`,
    ]
    for (const statement of statements) await statement.execute(db)
  },

  /** Index for words of one or two characters, common in Chinese and Japanese: one token per adjacent pair. */
  async 6(db) {
    const statements = [
      sql`create virtual table message_pairs using fts5 (pairs, content = '', contentless_delete = 1, detail = 'none')`,
      sql`create trigger message_text_removed_pairs after delete on message_text begin
        delete from message_pairs where rowid = old.id;
      end`,
    ]
    for (const statement of statements) await statement.execute(db)
    for (let after = 0; ;) {
      const { rows } = await sql<{ id: number; text: string }>`
        select id, text from message_text where id > ${after} order by id limit 500`.execute(db)
      for (const { id, text } of rows) await indexPairs(db, id, text)
      if (rows.length === 0) return
      after = rows.at(-1)!.id
    }
  },

  /** Makes the contents of tool calls searchable. */
  async 7(db) {
    for (let after = 0; ;) {
      const { rows } = await sql<{ rowid: number; session_id: string; id: string; role: string; parts: string }>`
        select rowid, session_id, id, role, parts from message
        where rowid > ${after} and agent_id = '' and role = 'assistant' and instr(parts, '"toolCallId"') > 0
        order by rowid limit 100`.execute(db)
      for (const { session_id: sessionId, id: messageId, role, parts } of rows)
        await writing.index(db, { sessionId, messageId }, searchText(role, JSON.parse(parts) as Part[]))
      if (rows.length === 0) return
      after = rows.at(-1)!.rowid
    }
  },
}

async function indexPairs(db: AnyDb, id: number, text: string): Promise<void> {
  const pairs = cjkPairs(text)
  if (pairs.length > 0)
    await sql`insert into message_pairs (rowid, pairs) values (${id}, ${pairs.join(' ')})`.execute(db)
}

const removeText = statement(
  (_, { sessionId, messageId }: { sessionId: string; messageId: string }) =>
    sql`delete from message_text where session_id = ${sessionId} and message_id = ${messageId}`,
)

const addText = statement(
  (_, { sessionId, messageId, text }: { sessionId: string; messageId: string; text: string }) => sql<{ id: number }>`
    insert into message_text (session_id, message_id, text) values (${sessionId}, ${messageId}, ${text})
    on conflict (session_id, message_id) do nothing returning id`,
)

const writing: Pick<SearchIndex, 'index' | 'indexAll' | 'remove'> = {
  async index(db, { sessionId, messageId }, text) {
    if (text === '') {
      await removeText(db, { sessionId, messageId })
      return
    }
    const added = (await addText(db, { sessionId, messageId, text })).rows[0]
    if (added !== undefined) return indexPairs(db, added.id, text)
    const { rows } = await sql<{ id: number }>`
      update message_text set text = ${text}
      where session_id = ${sessionId} and message_id = ${messageId} and text <> ${text}
      returning id`.execute(db)
    for (const { id } of rows) {
      await sql`delete from message_pairs where rowid = ${id}`.execute(db)
      await indexPairs(db, id, text)
    }
  },

  async indexAll(db, sessionId, texts) {
    for (const { messageId, text } of texts) if (text !== '') await writing.index(db, { sessionId, messageId }, text)
  },

  async remove(db, sessionId, messageIds) {
    for (let i = 0; i < messageIds.length; i += 100) {
      const some = messageIds.slice(i, i + 100)
      await sql`delete from message_text where session_id = ${sessionId} and message_id in (${sql.join(some)})`.execute(
        db,
      )
    }
  },
}

interface Hit {
  id: number
  session_id: string
  message_id: string
}

/** Maximum hits collected to find matching sessions. */
const maxHits = 2000

/**
 * Short terms, and words that never occur together, make SQLite scan every row. The worker thread runs those queries.
 * Inside a transaction, which the thread cannot see, and without a thread, they run here.
 */
export function createSqliteSearch(thread?: ReadThread): SearchIndex {
  return {
    ...writing,

    async sessionsWith(db, { terms }) {
      const found = await hits(db, terms, maxHits + 1)
      return found.length > maxHits ? undefined : [...new Set(found.map((hit) => hit.session_id))]
    },

    among: async (db, sessionIds, terms) => {
      const rows = await read<{ id: string }>(
        db,
        sql`select session.id from session where session.id in (${sql.join(sessionIds)}) and exists (
          select 1 from message_text t where t.session_id = session.id ${holding(terms)})`,
      )
      return new Set(rows.map((row) => row.id))
    },

    async find(db, { workspaceId, terms, limit, viewer }) {
      const isOpen = sql`and t.message_id <> '' and exists (select 1 from session where session.id = t.session_id
        and session.workspace_id = ${workspaceId} and session.trashed_at is null and ${visibleTo(viewer)})`
      const found = await hits(db, terms, limit, isOpen)
      return found.map((hit) => ({ sessionId: hit.session_id, messageId: hit.message_id }))
    },

    async findIn(db, { sessionId, terms, limit }) {
      const rows = await read<Hit>(
        db,
        sql`select t.message_id from message_text t
          where t.session_id = ${sessionId} and t.message_id <> '' ${holding(terms)}
          order by t.id desc limit ${limit}`,
      )
      return rows.map((row) => row.message_id)
    },
  }

  function hits(db: Db, terms: string[], limit: number, condition: RawBuilder<unknown> = sql``): Promise<Hit[]> {
    const { from, id } = matching(terms)
    return read(
      db,
      sql`select t.id, t.session_id, t.message_id ${from} ${condition} order by ${id} desc limit ${limit}`,
    )
  }

  async function read<T>(db: Db, query: RawBuilder<unknown>): Promise<T[]> {
    if (thread === undefined || db.isTransaction) return (await query.execute(db)).rows as T[]
    return thread.all<T>(query.compile(db))
  }
}

/** SQL condition: rows `t` of message_text whose text contains every term. */
function holding(terms: string[]): RawBuilder<unknown> {
  return sql.join(
    terms.map((term) => sql`and instr(t.text, ${term}) > 0`),
    sql` `,
  )
}

/** SQL for rows `t` of message_text that contain every term according to the indexes, and their id. */
function matching(terms: string[]): { from: RawBuilder<unknown>; id: RawBuilder<unknown> } {
  const long = terms.filter((term) => Array.from(term).length >= shortest)
  const pairs = terms.filter((term) => !long.includes(term) && isCjk(term))
  const short = terms.filter((term) => !long.includes(term) && !pairs.includes(term))
  const rest = short.length === 0 ? sql`` : holding(short)
  // A single character is the prefix of a pair at every position.
  const paired = pairs.map((term) => `"${term}"${Array.from(term).length === 1 ? '*' : ''}`).join(' AND ')
  if (long.length === 0) {
    if (pairs.length === 0) return { from: sql`from message_text t where true ${rest}`, id: sql`t.id` }
    return {
      from: sql`from message_pairs p cross join message_text t on t.id = p.rowid
        where p.message_pairs match ${paired} ${rest}`,
      id: sql`p.rowid`,
    }
  }
  // Only quoted strings are used, so user input never contains operators.
  const match = long.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ')
  return {
    from: sql`from message_search f cross join message_text t on t.id = f.rowid
      where f.message_search match ${match} ${rest} ${pairs.length === 0 ? sql`` : holding(pairs)}`,
    id: sql`f.rowid`,
  }
}

const idleMs = 60_000

/** Runs queries that may scan every row in another thread. Reads committed data only. */
interface ReadThread {
  all<T>(query: CompiledQuery): Promise<T[]>
  close(): Promise<void>
}

export function createReadThread(database: string): ReadThread {
  const waiting = new Map<number, { resolve(rows: unknown[]): void; reject(error: Error): void }>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let lastId = 0

  return {
    all: (query) =>
      new Promise((resolve, reject) => {
        clearTimeout(idle)
        worker ??= open()
        worker.ref()
        const id = ++lastId
        waiting.set(id, { resolve: resolve as (rows: unknown[]) => void, reject })
        const { sql, parameters } = query
        worker.postMessage({ id, sql, parameters: parameters as ReadRequest['parameters'] } satisfies ReadRequest)
      }),
    close: async () => {
      clearTimeout(idle)
      await worker?.terminate()
    },
  }

  function open(): Worker {
    const opened = new Worker(new URL('./read-thread-worker.ts', import.meta.url), { workerData: database, env: {} })
    opened.on('message', (answer: ReadAnswer) => {
      const asked = waiting.get(answer.id)
      waiting.delete(answer.id)
      if ('rows' in answer) asked?.resolve(answer.rows)
      else asked?.reject(new Error(answer.error))
      if (waiting.size > 0) return
      opened.unref()
      idle = setTimeout(() => void opened.terminate(), idleMs)
      idle.unref()
    })
    opened.on('error', (error) => end(error as Error))
    opened.on('exit', () => end(new Error('The search was ended.')))
    return opened

    function end(error: Error): void {
      if (worker === opened) worker = undefined
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
  }
}

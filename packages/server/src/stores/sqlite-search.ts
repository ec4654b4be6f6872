import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Part } from '@troupe/core'
import type { AnyDb } from './sql/context.ts'
import { cjkPairs, isCjkPair } from './sql/cjk-pairs.ts'
import { searchText, type Search } from './sql/search.ts'

/** The trigram index needs three characters. Shorter terms have the index of pairs, or are looked for in the text. */
const shortest = 3

/** The tables behind the search, by schema version. Like migrations, they never change after their release. */
export const sqliteSearchMigrations: Record<number, (db: AnyDb) => Promise<void>> = {
  async 1(db) {
    const statements = [
      sql`create table message_text (
        id integer primary key,
        session_id text not null references session (id) on delete cascade,
        message_id text not null,
        text text not null,
        unique (session_id, message_id))`,
      // Trigrams find parts of words, and words of languages that put no spaces between them. The text lies in
      // message_text alone; triggers keep the index in step, also when a session takes its rows with it.
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

  /** Words of one or two characters, as many are in Chinese and Japanese: a word for each pair of neighbours. */
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

  /** What calls hold is found, too. */
  async 7(db) {
    for (let after = 0; ;) {
      const { rows } = await sql<{ rowid: number; session_id: string; id: string; role: string; parts: string }>`
        select rowid, session_id, id, role, parts from message
        where rowid > ${after} and agent_id = '' and role = 'assistant' and instr(parts, '"toolCallId"') > 0
        order by rowid limit 100`.execute(db)
      for (const { session_id: sessionId, id: messageId, role, parts } of rows)
        await sqliteSearch.index(db, { sessionId, messageId }, searchText(role, JSON.parse(parts) as Part[]))
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

export const sqliteSearch: Search = {
  async index(db, { sessionId, messageId }, text) {
    if (text === '') {
      await sql`delete from message_text where session_id = ${sessionId} and message_id = ${messageId}`.execute(db)
      return
    }
    const { rows } = await sql<{ id: number }>`
      insert into message_text (session_id, message_id, text) values (${sessionId}, ${messageId}, ${text})
      on conflict (session_id, message_id) do update set text = excluded.text where text <> excluded.text
      returning id`.execute(db)
    for (const { id } of rows) {
      await sql`delete from message_pairs where rowid = ${id}`.execute(db)
      await indexPairs(db, id, text)
    }
  },

  async remove(db, sessionId, messageIds) {
    for (let i = 0; i < messageIds.length; i += 100) {
      const some = messageIds.slice(i, i + 100)
      await sql`delete from message_text where session_id = ${sessionId} and message_id in (${sql.join(some)})`.execute(
        db,
      )
    }
  },

  sessionsWith: (terms) => sql`(select t.session_id ${matching(terms).from})`,

  async find(db, { workspaceId, terms, sessionId, limit }) {
    const { from, age } = matching(terms)
    const { rows } = await sql<{ session_id: string; message_id: string }>`
      select t.session_id, t.message_id ${from}
      and t.message_id <> ''
      and exists (select 1 from session where session.id = t.session_id and session.workspace_id = ${workspaceId}
        and session.trashed_at is null)
      ${sessionId === undefined ? sql`` : sql`and t.session_id = ${sessionId}`}
      order by ${age} desc limit ${limit}`.execute(db)
    return rows.map((row) => ({ sessionId: row.session_id, messageId: row.message_id }))
  },
}

/** The rows `t` of message_text that hold every term, and what to order them by without sorting. */
function matching(terms: string[]): { from: RawBuilder<unknown>; age: RawBuilder<unknown> } {
  const long = terms.filter((term) => Array.from(term).length >= shortest)
  const pairs = terms.filter((term) => !long.includes(term) && isCjkPair(term))
  const short = terms.filter((term) => !long.includes(term) && !pairs.includes(term))
  const likes = short.map((term) => sql`and t.text like ${`%${term.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`)
  const rest = likes.length === 0 ? sql`` : sql.join(likes, sql` `)
  // A single character begins a pair wherever it stands.
  const paired = pairs.map((term) => `"${term}"${Array.from(term).length === 1 ? '*' : ''}`).join(' AND ')
  if (long.length === 0) {
    if (pairs.length === 0) return { from: sql`from message_text t where true ${rest}`, age: sql`t.id` }
    return {
      from: sql`from message_pairs p cross join message_text t on t.id = p.rowid
        where p.message_pairs match ${paired} ${rest}`,
      age: sql`p.rowid`,
    }
  }
  // A quoted string is the only syntax used, so nothing that a person types is an operator.
  const match = long.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ')
  return {
    from: sql`from message_search f cross join message_text t on t.id = f.rowid
      where f.message_search match ${match} ${rest}
      ${pairs.length === 0 ? sql`` : sql`and t.id in (select rowid from message_pairs where message_pairs match ${paired})`}`,
    age: sql`f.rowid`,
  }
}

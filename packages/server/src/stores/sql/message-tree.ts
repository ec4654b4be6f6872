import type { RatedMessage, RatedQuery, Store, TextMatch, TreeMessage } from '@troupe/core'
import { type Metadata, type Part, totalUsage } from '@troupe/protocol'
import { sql } from 'kysely'
import { yieldToEventLoop } from '../../util/concurrency.ts'
import { branchIds, messagesById, messagesPerQuery } from './branches.ts'
import { type StoreContext, toStoredMessage } from './context.ts'
import type { Tables } from './tables.ts'
import { buildSnippet, callText, fold, isCall, partsText, wholeText } from './message-text.ts'
import { visibleTo } from './visible.ts'

/** Prefix of a message's JSON read for its first words. An overview of 10,000 messages must not parse them all. */
const headLength = 1500
const shownLength = 90
/** More than anyone steps through. */
const maxMatches = 500
const rowsPerQuery = 500

interface Row {
  id: string
  parent_id: string
  seq: number
  role: string
  created_at: number
  metadata: string | null
  head: string
}

export function tree(context: StoreContext): Pick<Store['messages'], 'tree' | 'matches' | 'rated'> {
  const { search } = context

  return {
    rated: (query) => ratedMessages(context, query),

    async tree({ sessionId, agentId = '' }) {
      const found: TreeMessage[] = []
      for (let after: number | undefined = 0; after !== undefined;) {
        const { rows }: { rows: Row[] } = await sql<Row>`
          select id, parent_id, seq, role, created_at, metadata, substr(parts, 1, ${headLength}) as head from message
          where session_id = ${sessionId} and agent_id = ${agentId} and seq > ${after}
          order by seq limit ${rowsPerQuery}`.execute(context.db)
        for (const row of rows) found.push(treeMessage(row))
        after = rows.length < rowsPerQuery ? undefined : rows.at(-1)?.seq
      }
      return found
    },

    async matches({ sessionId }, { text, leaf }) {
      const term = fold(text).trim()
      if (term === '') return { matches: [], isCut: false }
      const ids = await search.findIn(context.db, { sessionId, terms: [term], limit: maxMatches + 1 })
      const rows: Tables['message'][] = []
      for (let i = 0; i < Math.min(ids.length, maxMatches); i += messagesPerQuery)
        rows.push(
          ...(await messagesById(context.db, { sessionId }, ids.slice(i, Math.min(i + messagesPerQuery, maxMatches)))),
        )
      rows.sort((a, b) => a.seq - b.seq)
      const branch = new Set(leaf === undefined ? [] : await branchIds(context, { sessionId }, leaf).catch(() => []))
      const matches: TextMatch[] = []
      for (const row of rows) {
        await yieldToEventLoop()
        const { id, role, parts } = toStoredMessage(row)
        const snippet = buildSnippet(wholeText(parts), [term])
        matches.push({ messageId: id, role, ...countMatches(parts, term), snippet, isOnBranch: branch.has(id) })
      }
      const [on, off] = [matches.filter((match) => match.isOnBranch), matches.filter((match) => !match.isOnBranch)]
      return { matches: [...on, ...off], isCut: ids.length > maxMatches }
    },
  }
}

/** Scans the metadata of a workspace's answers, so do not call it for every request. */
async function ratedMessages(
  { db }: StoreContext,
  { workspaceId, sessionId, viewer, rating, cursor = '', limit = 100 }: RatedQuery,
): Promise<{ messages: RatedMessage[]; nextCursor: string | null }> {
  const count = Math.max(1, Math.min(limit, 1000))
  const [time = '', after = ''] = cursor.split(':')
  const rows = await db
    .selectFrom('message')
    .innerJoin('session', 'session.id', 'message.session_id')
    .selectAll('message')
    .where('session.workspace_id', '=', workspaceId)
    .where('session.trashed_at', 'is', null)
    .where(visibleTo(viewer))
    .where('message.agent_id', '=', '')
    .where('message.metadata', 'like', '%"feedback":{%')
    .$if(rating !== undefined, (select) => select.where('message.metadata', 'like', `%"rating":"${rating}"%`))
    .$if(sessionId !== undefined, (select) => select.where('message.session_id', '=', sessionId!))
    .$if(cursor !== '', (select) =>
      select.where((eb) =>
        eb.or([
          eb('message.created_at', '<', Number(time)),
          eb.and([eb('message.created_at', '=', Number(time)), eb('message.id', '<', after)]),
        ]),
      ),
    )
    .orderBy('message.created_at', 'desc')
    .orderBy('message.id', 'desc')
    .limit(count)
    .execute()
  const last = rows.length < count ? undefined : rows.at(-1)
  return {
    messages: rows.map((row) => ({ sessionId: row.session_id, message: toStoredMessage(row) })),
    nextCursor: last === undefined ? null : `${last.created_at}:${last.id}`,
  }
}

function countMatches(parts: Part[], term: string): Pick<TextMatch, 'count' | 'calls'> {
  const countIn = (some: Part[]): number => fold(partsText(some)).split(term).length - 1
  const calls = parts.flatMap((part, index) =>
    isCall(part) && fold(callText(part)).includes(term)
      ? [{ toolCallId: part.toolCallId, after: countIn(parts.slice(0, index)) }]
      : [],
  )
  return { count: countIn(parts), calls }
}

function treeMessage({ id, parent_id, role, created_at, metadata, head }: Row): TreeMessage {
  const told = JSON.parse(metadata ?? '{}') as Metadata
  const { model, error, aborted, interrupted, stopped } = told
  const isStopped = aborted === true || interrupted === true || stopped !== undefined
  const ending = error !== undefined ? 'failed' : isStopped ? 'stopped' : undefined
  return {
    id,
    parentMessageId: parent_id === '' ? null : parent_id,
    role: role as TreeMessage['role'],
    text: firstWords(head),
    createdAt: created_at,
    model,
    ...totalUsage(told),
    ending,
  }
}

/** Extracts a message's first text, else its tools, else files. The JSON may be truncated anywhere. */
function firstWords(head: string): string {
  const start = /"type":"text",(?:"state":"\w+",)?"text":"/.exec(head)
  if (start !== null) {
    const rest = head.slice(start.index + start[0].length).slice(0, shownLength * 3)
    const whole = /^(?:[^"\\]+|\\u[\da-f]{4}|\\[^u])*/i.exec(rest)?.[0] ?? ''
    const text = (JSON.parse(`"${whole}"`) as string).replaceAll(/\s+/g, ' ').trim()
    if (text !== '') return text.length > shownLength ? `${text.slice(0, shownLength).toWellFormed()}…` : text
  }
  const tools = [...head.matchAll(/"type":"tool-([\w-]{1,64})"|"toolName":"([^"\\]{1,64})"/g)]
  if (tools.length > 0) return [...new Set(tools.map(([, name, dynamic]) => name ?? dynamic))].slice(0, 5).join(', ')
  return /"filename":"([^"\\]{1,80})"/.exec(head)?.[1] ?? ''
}

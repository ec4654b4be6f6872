import { sql } from 'kysely'
import { totalUsage, type Metadata, type Part, type Store, type TextMatch, type TreeMessage } from '@troupe/core'
import { yieldToEventLoop } from '../../breathe.ts'
import { branchIds } from './branches.ts'
import { callText, isCall } from './call-text.ts'
import { partsText, fold, buildSnippet, wholeText } from './search.ts'
import type { StoreContext } from './context.ts'
import { toStoredMessage } from './message-row.ts'
import type { Tables } from './tables.ts'

/** So much of a message's JSON is read for its first words: a picture of 10,000 messages must not parse them. */
const headLength = 1500
const shownLength = 90
/** More than anybody steps through. */
const maxMatches = 500
const rowsPerQuery = 500
const messagesPerQuery = 20

interface Row {
  id: string
  parent_id: string
  seq: number
  role: string
  created_at: number
  metadata: string | null
  head: string
}

/** Looking at a conversation as a whole. */
export function tree(context: StoreContext): Pick<Store['messages'], 'tree' | 'matches'> {
  const { search } = context

  return {
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
          ...(await context.db
            .selectFrom('message')
            .selectAll()
            .where('session_id', '=', sessionId)
            .where('agent_id', '=', '')
            .where('id', 'in', ids.slice(i, Math.min(i + messagesPerQuery, maxMatches)))
            .execute()),
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
    ...(model !== undefined && { model }),
    ...totalUsage(told),
    ...(ending !== undefined && { ending }),
  }
}

/** From the beginning of a message's JSON, which may be cut anywhere: its first text, else the tools it calls, else files. */
export function firstWords(head: string): string {
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

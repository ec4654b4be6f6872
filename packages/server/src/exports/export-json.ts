import type { AgentRecord, StoredMessage } from '@troupe/core'
import { yieldToEventLoop } from '../breathe.ts'
import { sessionFormat } from '../imports/troupe.ts'
import type { ExportOptions, ExportSource } from './export-source.ts'

/** What an export as JSON does not hold; an import cannot bring it back. */
const leavesOut = ['runs', 'run-logs', 'files of output/ and jsx/']

/** Everything that an import can make the same session of: the whole tree, or one branch of it and what belongs to that. */
export async function* exportJson(source: ExportSource, { leaf }: ExportOptions = {}): AsyncGenerator<string> {
  const { workspaceId: _w, projectId: _p, folderId: _f, messageCount: _m, ...session } = source.session
  const at = { sessionId: session.id }
  const blobs = new Set<string>()
  const calls = new Set<string>()
  const head = { format: sessionFormat, version: 1, exportedAt: Date.now(), leavesOut }
  yield `${JSON.stringify(head).slice(0, -1)},\n"session":${JSON.stringify({ ...session, folder: source.folder })},\n`
  yield '"messages":['
  yield* lines(leaf === undefined ? source.all(at) : source.branch(at, leaf))
  yield '],\n"agents":['
  let comma = ''
  for (const left = new Set(source.agents); ;) {
    const next = left.values().find(belongs)
    if (next === undefined) break
    left.delete(next)
    const { sessionId: _, ...agent } = next
    yield `${comma}\n${JSON.stringify(agent).slice(0, -1)},"messages":[`
    yield* lines(source.all({ ...at, agentId: agent.agentId }))
    yield ']}'
    comma = ','
  }
  yield '],\n"asks":['
  const asks = (await source.store.asks.list({ sessionId: session.id })).filter((ask) => calls.has(ask.toolCallId))
  yield asks.map((ask) => `\n${JSON.stringify(source.clean(ask))}`).join(',')
  yield '],\n"blobs":{'
  let first = true
  for (const sha256 of blobs) {
    const blob = await source.blobs.get(sha256)
    if (blob === undefined) continue
    const { mediaType, bytes } = blob
    yield `${first ? '' : ','}\n"${sha256}":${JSON.stringify({ mediaType, base64: Buffer.from(bytes).toString('base64') })}`
    first = false
  }
  yield '}}\n'

  /** What other branches and deleted messages started is none of this. */
  function belongs({ details }: AgentRecord): boolean {
    return details === undefined ? leaf === undefined : calls.has(details.toolCallId)
  }

  async function* lines(messages: AsyncIterable<StoredMessage>): AsyncGenerator<string> {
    let isFirst = true
    for await (const message of messages) {
      await yieldToEventLoop()
      const text = JSON.stringify(message)
      await yieldToEventLoop()
      for (const part of message.parts) if ('toolCallId' in part) calls.add(part.toolCallId)
      for (const [, sha256 = ''] of text.matchAll(/\/ai\/blobs\/([0-9a-f]{64})/g)) blobs.add(sha256)
      yield `${isFirst ? '' : ','}\n${text}`
      isFirst = false
    }
  }
}

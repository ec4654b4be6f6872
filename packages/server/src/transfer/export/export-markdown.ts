import type { AgentRecord } from '@troupe/core'
import type { StoredMessage } from '@troupe/protocol'
import { type ExportOptions, type ExportSource, exportTexts } from './export-session.ts'
import type { ExportTexts } from './languages/en.ts'
import { type ReadablePart, readableParts, speaker } from './part-texts.ts'
import type { ExportPiece } from './ui-pieces.ts'

const maxOutputLength = 20_000

/** Exports one branch for reading: plain text, collapsed reasoning and calls, and sub-agents below their call. */
export async function* exportMarkdown(
  source: ExportSource,
  { leaf, language }: ExportOptions = {},
): AsyncGenerator<string> {
  const { session } = source
  const texts = exportTexts(language)
  yield `# ${oneLine(session.title)}\n\n${day(session.createdAt)} · ${texts.exported}\n`
  yield* conversation(source, texts, undefined, 2, leaf)
}

async function* conversation(
  source: ExportSource,
  texts: ExportTexts,
  agent: AgentRecord | undefined,
  level: number,
  leaf?: string,
): AsyncGenerator<string> {
  const at = { sessionId: source.session.id, agentId: agent?.agentId }
  for await (const message of source.branch(at, leaf)) {
    yield `\n${'#'.repeat(Math.min(level, 6))} ${heading(message, agent, texts)}\n`
    for (const { shown } of readableParts(message, texts)) {
      yield `\n${block(shown, texts)}\n`
      if (shown.kind !== 'call') continue
      for (const child of agentsStartedBy(source.agents, shown.toolCallId, agent)) {
        yield `\n**${oneLine(texts.subAgent(child.name))}** (${texts.status[child.status] ?? child.status})\n`
        yield* conversation(source, texts, child, level + 1)
      }
    }
    const { error } = message.metadata ?? {}
    if (error !== undefined) yield `\n> **${oneLine(error.name)}**: ${oneLine(error.message)}\n`
  }
}

export function agentsStartedBy(
  agents: AgentRecord[],
  toolCallId: string,
  parent: AgentRecord | undefined,
): AgentRecord[] {
  return agents.filter(
    (agent) => agent.parentAgentId === (parent?.agentId ?? null) && agent.details?.toolCallId === toolCallId,
  )
}

function heading(
  { role, metadata, createdAt }: StoredMessage,
  agent: AgentRecord | undefined,
  texts: ExportTexts,
): string {
  const model = metadata?.model === undefined ? '' : ` (${metadata.model})`
  const name = speaker({ role, metadata }, agent, texts)
  return `${oneLine(name)}${role === 'user' ? '' : model} · ${day(createdAt)}`
}

function block(shown: ReadablePart, texts: ExportTexts): string {
  switch (shown.kind) {
    case 'text':
      return shown.text
    case 'reasoning':
      return `<details><summary>${texts.reasoning}</summary>\n\n${shown.text}\n\n</details>`
    case 'note':
      return quoted(shown.text)
    case 'call': {
      const output = truncate(shown.output, texts)
      const result =
        output === '' ? '' : `\n\n${shown.state === 'failed' ? texts.failed : texts.result}\n\n${fenced(output)}`
      return `<details><summary>${escapeTags(oneLine(shown.title))}</summary>\n\n${fenced(truncate(shown.input, texts))}${result}\n\n</details>${piecesToMarkdown(shown.made)}`
    }
    case 'file':
      return `📎 ${oneLine(shown.name)} (${shown.mediaType})`
    case 'source':
      return `- ${oneLine(shown.title)}: <${shown.url}>`
  }
}

function piecesToMarkdown(pieces: ExportPiece[]): string {
  const isNextItem = (index: number): boolean => pieces[index]?.kind === 'item' && pieces[index - 1]?.kind === 'item'
  return pieces.map((piece, index) => `${isNextItem(index) ? '\n' : '\n\n'}${pieceText(piece)}`).join('')
}

function pieceText(piece: ExportPiece): string {
  switch (piece.kind) {
    case 'text':
      return piece.strong === true ? `**${oneLine(piece.text)}**` : escapeTags(piece.text)
    case 'note':
      return quoted(piece.text)
    case 'item':
      return `- ${escapeTags(oneLine(piece.text))}`
    case 'markdown':
      return piece.text
    case 'code':
      return fenced(piece.text)
    case 'picture':
      return `🖼 ${oneLine(piece.name)}`
    case 'table':
      return `${piece.caption === '' ? '' : `**${oneLine(piece.caption)}**\n\n`}${table(piece.rows, piece.hasHead)}`
  }
}

/** Markdown tables require a header. */
function table(rows: string[][], hasHead: boolean): string {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 1)
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, i) => escapeTags(oneLine(cells[i] ?? '')).replaceAll('|', '\\|')).join(' | ')} |`
  const [head = [], ...body] = hasHead ? rows : [[], ...rows]
  return [line(head), `|${' --- |'.repeat(width)}`, ...body.map(line)].join('\n')
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
}

function fenced(text: string): string {
  const fence = '`'.repeat(Array.from(text.matchAll(/`+/g)).reduce((most, [run]) => Math.max(most, run.length + 1), 3))
  return `${fence}\n${text}\n${fence}`
}

function truncate(text: string, texts: ExportTexts): string {
  return text.length <= maxOutputLength
    ? text
    : `${text.slice(0, maxOutputLength)}\n${texts.moreCharacters(text.length - maxOutputLength)}`
}

function escapeTags(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}

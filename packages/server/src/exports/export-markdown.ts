import type { AgentRecord, StoredMessage } from '@troupe/core'
import type { ExportSource } from './export-source.ts'
import { shownParts, type Shown } from './part-texts.ts'

const mostOutput = 20_000

/** One branch to read: texts as they are, thoughts and calls folded, what sub-agents did below the call. */
export async function* exportMarkdown(source: ExportSource, leaf?: string): AsyncGenerator<string> {
  const { session } = source
  yield `# ${oneLine(session.title)}\n\n${day(session.createdAt)} · exported from Troupe\n`
  yield* conversation(source, undefined, 2, leaf)
}

async function* conversation(
  source: ExportSource,
  agent: AgentRecord | undefined,
  level: number,
  leaf?: string,
): AsyncGenerator<string> {
  const at = { sessionId: source.session.id, ...(agent !== undefined && { agentId: agent.agentId }) }
  for await (const message of source.branch(at, leaf)) {
    yield `\n${'#'.repeat(Math.min(level, 6))} ${heading(message, agent)}\n`
    for (const { shown } of shownParts(message.parts)) {
      yield `\n${block(shown)}\n`
      if (shown.kind !== 'call') continue
      for (const child of childrenOf(source.agents, shown.toolCallId, agent)) {
        yield `\n**Sub-agent ${oneLine(child.name)}** (${child.status})\n`
        yield* conversation(source, child, level + 1)
      }
    }
    const { error } = message.metadata ?? {}
    if (error !== undefined) yield `\n> **${oneLine(error.name)}**: ${oneLine(error.message)}\n`
  }
}

export function childrenOf(agents: AgentRecord[], toolCallId: string, parent: AgentRecord | undefined): AgentRecord[] {
  return agents.filter(
    (agent) => agent.parentAgentId === (parent?.agentId ?? null) && agent.details?.toolCallId === toolCallId,
  )
}

function heading({ role, metadata, createdAt }: StoredMessage, agent: AgentRecord | undefined): string {
  const model = metadata?.model === undefined ? '' : ` (${metadata.model})`
  const name = role === 'user' ? (agent === undefined ? 'You' : 'Task') : (agent?.name ?? 'Answer')
  return `${oneLine(name)}${role === 'user' ? '' : model} · ${day(createdAt)}`
}

function block(shown: Shown): string {
  switch (shown.kind) {
    case 'text':
      return shown.text
    case 'reasoning':
      return `<details><summary>Reasoning</summary>\n\n${shown.text}\n\n</details>`
    case 'note':
      return shown.text
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n')
    case 'call': {
      const output = cut(shown.output)
      const result = output === '' ? '' : `\n\n${shown.state === 'failed' ? 'Failed:' : 'Result:'}\n\n${fenced(output)}`
      return `<details><summary>${escapeTags(oneLine(shown.title))}</summary>\n\n${fenced(cut(shown.input))}${result}\n\n</details>`
    }
    case 'file':
      return `📎 ${oneLine(shown.name)} (${shown.mediaType})`
    case 'source':
      return `- ${oneLine(shown.title)}: <${shown.url}>`
  }
}

function fenced(text: string): string {
  const fence = '`'.repeat(Array.from(text.matchAll(/`+/g)).reduce((most, [run]) => Math.max(most, run.length + 1), 3))
  return `${fence}\n${text}\n${fence}`
}

function cut(text: string): string {
  return text.length <= mostOutput
    ? text
    : `${text.slice(0, mostOutput)}\n… ${text.length - mostOutput} characters more`
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

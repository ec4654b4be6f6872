import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'
import type { ScriptItem, ScriptTurn } from '@troupe/core/testing'

/** One request the demo understands. Pure: the same request gets the same turn. */
export interface Scene {
  example: Record<Language, string>
  shows: Record<Language, string>
  /** Shown under the example on the first screen. */
  promise?: Record<Language, string> & { icon: 'folder' | 'command' | 'agents' | 'chart' }
  /** Matched against the user's text in lower case. */
  matches: RegExp
  tools?: string[]
  play(request: DemoRequest): ScriptTurn
}

export function inLanguage({ language }: DemoRequest, texts: Record<Language, string>): string {
  return texts[language]
}

/** Streams text at a fast reader's pace. `totalMs` limits the total time. */
export function say(text: string, { wordMs = 14, totalMs = Infinity } = {}): ScriptItem {
  const words = text.match(/[\p{Script=Han}，。：；、！？（）]{1,2}|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []
  const most = Math.max(1, Math.floor(totalMs / wordMs))
  const perPiece = Math.ceil(words.length / Math.min(words.length || 1, most))
  const chunks: number[] = []
  for (let from = 0; from < words.length; from += perPiece) {
    chunks.push(words.slice(from, from + perPiece).join('').length)
  }
  return { text, delayMs: wordMs, chunks: chunks.length > 0 ? chunks : undefined }
}

export function atSpeed(turn: ScriptTurn, speed: number | 'instant'): ScriptTurn {
  if (speed === 1) return turn
  const scaled = (ms: number | undefined) => (speed === 'instant' ? 0 : (ms ?? 0) / speed)
  return turn.map((item) => {
    if ('call' in item) return { call: { ...item.call, delayMs: scaled(item.call.delayMs) } }
    return 'delayMs' in item ? { ...item, delayMs: scaled(item.delayMs) } : item
  })
}

export type Language = 'en' | 'zh'

/** The only parts of a model call the demo reads. */
export interface DemoRequest {
  /** The last user message. */
  text: string
  language: Language
  tools: ReadonlySet<string>
  /** Tool results since that message, in order. */
  results: ToolResult[]
  /** The conversation before that message. */
  earlier: { role: 'user' | 'assistant'; text: string; calls: number }[]
}

export interface ToolResult {
  tool: string
  output?: unknown
  /** Error text sent to the model, if the call failed. */
  error?: string
}

export function readRequest({ prompt, tools = [] }: LanguageModelV4CallOptions): DemoRequest {
  const last = prompt.findLastIndex(({ role }) => role === 'user')
  const text = last < 0 ? '' : promptText(prompt[last] as LanguageModelV4Prompt[number]).trim()
  return {
    text,
    language: detectLanguage(text),
    tools: new Set(tools.flatMap(toolNames)),
    results: prompt.slice(last + 1).flatMap(toolResults),
    earlier: prompt.slice(0, Math.max(last, 0)).flatMap((message) => {
      if (message.role !== 'user' && message.role !== 'assistant') return []
      const calls = message.content.filter(({ type }) => type === 'tool-call').length
      return [{ role: message.role, text: promptText(message).trim(), calls }]
    }),
  }
}

/** Returns the tool's name. For ToolSearch, also the tools it lists, which can be called too. */
function toolNames(tool: NonNullable<LanguageModelV4CallOptions['tools']>[number]): string[] {
  if (tool.name !== 'ToolSearch' || tool.type !== 'function') return [tool.name]
  return [tool.name, ...(tool.description?.match(/\b[A-Z][A-Za-z]+\b/g) ?? [])]
}

/** Detects Chinese by Han characters without kana. Everything else is English. */
function detectLanguage(text: string): Language {
  return /\p{Script=Han}/u.test(text) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'zh' : 'en'
}

function promptText({ content }: LanguageModelV4Prompt[number]): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

function toolResults(message: LanguageModelV4Prompt[number]): ToolResult[] {
  if (message.role !== 'tool') return []
  return message.content.flatMap((part) => (part.type === 'tool-result' ? [toToolResult(part)] : []))
}

function toToolResult({ toolName: tool, output }: LanguageModelV4ToolResultPart): ToolResult {
  switch (output.type) {
    case 'json':
      return { tool, output: output.value }
    case 'text':
      return { tool, output: parseJson(output.value) }
    case 'content':
      return { tool, output: output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n') }
    case 'error-text':
      return { tool, error: output.value }
    case 'error-json':
      return { tool, error: JSON.stringify(output.value) }
    case 'execution-denied':
      return { tool, error: output.reason ?? 'denied' }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

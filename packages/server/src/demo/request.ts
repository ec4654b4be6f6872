import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider'

export type Language = 'en' | 'zh'

/** What the demo looks at in a model call, and nothing else. */
export interface DemoRequest {
  /** The last words of the person. */
  text: string
  language: Language
  /** Names of the tools that are offered. */
  tools: ReadonlySet<string>
  /** Results since those words, in order. */
  results: ToolResult[]
  /** The conversation before those words. */
  earlier: { role: 'user' | 'assistant'; text: string; calls: number }[]
}

export interface ToolResult {
  tool: string
  /** The output, where the call succeeded. */
  output?: unknown
  /** What the model was told, where it did not. */
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

/** A tool that is listed, and those that ToolSearch says can be found: they can be called as well. */
function toolNames(tool: NonNullable<LanguageModelV4CallOptions['tools']>[number]): string[] {
  if (tool.name !== 'ToolSearch' || tool.type !== 'function') return [tool.name]
  return [tool.name, ...(tool.description?.match(/\b[A-Z][A-Za-z]+\b/g) ?? [])]
}

/** Chinese where there are Han characters and no kana; everything else is answered in English. */
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

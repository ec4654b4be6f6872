import type { Tool, ToolContext } from '../tool.ts'
import type { Call } from './parse-call.ts'
import { toJson } from './to-json.ts'

export interface CallPreview {
  title: string
  summary?: string
  content?: unknown
}

/** A person waits no longer than this for what a call would do to be worked out. */
const previewMs = 2000

/**
 * What a person is shown when asked: what the tool says of its input, with what the call would do to the world as it is
 * now where the tool can tell. That may fail or take long; then the input has to speak for itself. What is read for it
 * is kept with the conversation, so known secrets are taken out of it.
 */
export async function previewCall(
  call: Call & { tool: Tool },
  input: unknown,
  ctx: ToolContext,
  redact: (text: string) => string = (text) => text,
): Promise<CallPreview> {
  const { tool } = call
  const shown = tool.permission?.(input) ?? { title: tool.title?.(input) ?? call.actionName ?? tool.name }
  const content = tool.preview === undefined ? undefined : await toolPreview(tool, input, ctx)
  if (content === undefined) return toJson(shown) as CallPreview
  return toJson({ ...shown, content: JSON.parse(redact(JSON.stringify(content))) as unknown }) as CallPreview
}

async function toolPreview(tool: Tool, input: unknown, ctx: ToolContext): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(resolve, previewMs, undefined)
  try {
    return await Promise.race([tool.preview?.(input, ctx), promise])
  } catch {
    // The call will say why when it runs.
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

import { readFile } from 'node:fs/promises'
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { z } from 'zod'

/** A script as JSON: a list of turns, one per model call, or an object that also sets how calls are counted. */
export const scriptSchema = z.lazy(buildScriptSchema)

type ScriptObject = z.infer<typeof scriptSchema>
export type ScriptTurn = ScriptObject['turns'][number]
export type ScriptItem = ScriptTurn[number]
export type ScriptUsage = NonNullable<Extract<ScriptItem, { finish: unknown }>['usage']>
export type ScriptError = Extract<ScriptItem, { error: unknown }>

/**
 * Selects the turn for a call.
 * - `order`: the first call plays the first turn, and so on.
 * - `prompt`: by the number of steps after the last user message. Every user message starts at the first turn, and a
 * new process continues after a crash.
 * - `history`: by the number of steps in the whole prompt, so one script covers a conversation, across processes.
 */
export type ScriptCounting = NonNullable<ScriptObject['by']>

/** A script computed call by call. `request` contains the offered tools and everything else. */
export type ScriptFunction = (
  prompt: LanguageModelV4Prompt,
  callIndex: number,
  request: LanguageModelV4CallOptions,
) => ScriptTurn | Promise<ScriptTurn>
export type Script = ScriptTurn[] | ScriptObject | ScriptFunction

/** Reads a script from a JSON file. Errors include their position. */
export async function loadScript(path: string): Promise<ScriptObject> {
  const parsed = scriptSchema.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (!parsed.success) throw new Error(`The script ${path} is not valid:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}

/** Built on first use, so a program that only plays scripts does not pay for it. */
function buildScriptSchema() {
  const providerMetadata = z.record(z.string(), z.record(z.string(), z.json())).optional()

  /**
   * A number splits into that many pieces of similar length. A list gives the lengths, and the rest is one last piece.
   */
  const chunks = z.union([z.int().positive(), z.array(z.int().positive()).min(1)]).optional()

  /** Milliseconds before each piece. */
  const delayMs = z.number().nonnegative().optional()

  const finishReason = z.enum(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'interrupted', 'other'])

  const usage = z.strictObject({
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    reasoningTokens: z.int().nonnegative().optional(),
    cachedInputTokens: z.int().nonnegative().optional(),
  })

  const textItem = z.strictObject({ text: z.string(), chunks, delayMs, providerMetadata })
  const reasoningItem = z.strictObject({ reasoning: z.string(), chunks, delayMs, providerMetadata })

  const callItem = z.strictObject({
    call: z.strictObject({
      name: z.string(),
      input: z.unknown().optional(),
      /** Sent verbatim instead of `input`, for malformed or truncated JSON. */
      rawInput: z.string().optional(),
      id: z.string().optional(),
      /** True if the input arrives as deltas before the call, false if the call arrives at once. Default: true. */
      stream: z.boolean().optional(),
      chunks,
      delayMs,
      providerMetadata,
    }),
  })

  const errorItem = z.strictObject({
    error: z.strictObject({
      message: z.string(),
      statusCode: z.int().optional(),
      retryable: z.boolean().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      body: z.string().optional(),
    }),
    /** `before` rejects the request, `mid` is an error inside the stream. Default: `before` if nothing came first. */
    when: z.enum(['before', 'mid']).optional(),
    /** Applies the error only to the first `times` calls that play this turn. */
    times: z.int().positive().optional(),
  })

  const fileItem = z.strictObject({
    /** `data` is base64. */
    file: z.strictObject({ mediaType: z.string(), data: z.string().optional(), url: z.url().optional() }),
  })

  const sourceItem = z.strictObject({
    source: z.union([
      z.strictObject({ url: z.url(), title: z.string().optional(), id: z.string().optional() }),
      z.strictObject({
        mediaType: z.string(),
        title: z.string(),
        filename: z.string().optional(),
        id: z.string().optional(),
      }),
    ]),
  })

  const finishItem = z.strictObject({ finish: finishReason, usage: usage.optional() })
  const delayItem = z.strictObject({ delayMs: z.number().nonnegative() })
  const gateItem = z.strictObject({ gate: z.string() })
  const cutItem = z.strictObject({ cut: z.literal(true) })
  const resetItem = z.strictObject({ reset: z.literal(true) })
  const partItem = z.strictObject({ part: z.looseObject({ type: z.string() }) })

  const itemSchema = z.union(
    [
      textItem,
      reasoningItem,
      callItem,
      errorItem,
      fileItem,
      sourceItem,
      finishItem,
      delayItem,
      gateItem,
      cutItem,
      resetItem,
      partItem,
    ],
    {
      error:
        'an item is one of {text}, {reasoning}, {call}, {error}, {file}, {source}, {finish}, {delayMs}, {gate}, {cut: true}, {reset: true}, {part}, each with the fields of its kind only',
    },
  )

  const turnSchema = z.array(itemSchema)

  return z.preprocess(
    (script) => (Array.isArray(script) ? { turns: script } : script),
    z.strictObject({ by: z.enum(['order', 'prompt', 'history']).optional(), turns: z.array(turnSchema) }),
  )
}

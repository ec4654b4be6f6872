import { dataParts, type Metadata, type Part } from '@troupe/core'
import { z } from 'zod'

const text = z.looseObject({ text: z.string() })

const call = z.union([
  z.looseObject({ toolCallId: z.string(), state: z.literal('output-error'), errorText: z.string() }),
  z.looseObject({
    toolCallId: z.string(),
    state: z.enum([
      'input-streaming',
      'input-available',
      'approval-requested',
      'approval-responded',
      'output-available',
      'output-denied',
    ]),
  }),
])

/** What everything that shows or sends a part relies on. */
const schemas = new Map<string, z.ZodType>([
  ['text', text],
  ['reasoning', text],
  ['source-url', z.looseObject({ url: z.string(), title: z.string().optional() })],
  ['source-document', z.looseObject({ title: z.string() })],
  ['file', z.looseObject({ url: z.string(), mediaType: z.string(), filename: z.string().optional() })],
  ['steering-message', z.looseObject({ parts: z.array(z.looseObject({ type: z.string() })) })],
  ['dynamic-tool', z.intersection(call, z.looseObject({ toolName: z.string() }))],
  ...Object.entries(dataParts).map(([name, { schema }]): [string, z.ZodType] => [
    `data-${name}`,
    z.looseObject({ data: schema }),
  ]),
])

/**
 * A part of an exported message. One that is not what its type says is told as such and stays out, and a file is one of
 * our blobs: nothing of an import is fetched from elsewhere.
 */
export function readPart(given: { type: string }): Part {
  const schema = given.type.startsWith('tool-') ? call : schemas.get(given.type)
  if (schema?.safeParse(given).success === false) return note(`A part of the kind "${given.type.slice(0, 100)}"`)
  const part = given as unknown as Part
  if (part.type === 'file' && !/^\/ai\/blobs\/[0-9a-f]{64}$/.test(part.url)) return note(part.filename ?? 'A file')
  if (given.type !== 'steering-message') return part
  const { parts } = given as unknown as { parts: { type: string }[] }
  return { ...given, parts: parts.map(readPart) } as unknown as Part
}

function note(what: string): Part {
  return { type: 'text', text: `[${what} is not in the export.]` }
}

const fields = {
  agent: z.looseObject({ name: z.string(), depth: z.number(), path: z.array(z.string()) }),
  model: z.string(),
  source: z.string(),
  usage: z.looseObject({ inputTokens: z.number(), outputTokens: z.number(), totalTokens: z.number() }),
  cost: z.number(),
  subAgents: z.looseObject({ tokens: z.number(), cost: z.number().optional() }),
  elapsedMs: z.number(),
  reasoningMs: z.record(z.string(), z.number()),
  stopMs: z.number(),
  finishReason: z.string(),
  stopped: z.looseObject({ reason: z.string(), message: z.string() }),
  error: z.looseObject({ name: z.string(), message: z.string() }),
  continues: z.string(),
}

/** What is not of the expected kind is as good as absent. */
export function readMetadata(given: Record<string, unknown>): Metadata {
  const good = Object.entries(given).filter(
    ([name, value]) => !Object.hasOwn(fields, name) || fields[name as keyof typeof fields].safeParse(value).success,
  )
  return Object.fromEntries(good)
}

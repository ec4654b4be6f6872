import { z } from 'zod'
import { dataParts } from '../../packages/protocol/src/data-parts.ts'

export const file = 'docs/reference/stream-parts.md'

/** Generates the reference of our own stream parts from their schemas. */
export async function generate(): Promise<string> {
  const rows = Object.entries(dataParts).map(([name, { stored, about, schema }]) => {
    const fields = describe(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema)
    return `| \`data-${name}\` | ${stored ? 'yes' : 'no'} | ${cell(about)} | ${cell(fields)} |`
  })
  return `<!-- Made by scripts/generators/data-parts.ts: change packages/protocol/src/data-parts.ts and run "npm run generate". -->

# Stream parts

A run streams the AI SDK's UI message chunks (\`x-vercel-ai-ui-message-stream: v1\`) and, between them, the parts below. Each is a chunk \`{type, id?, data, transient?}\`, where \`data\` has the fields listed here. A later part with the same type and id replaces the data of the earlier one. Stored parts become part of the message; the others are sent as \`transient\` and only streamed. A tool can emit any other \`data-<name>\`, which is stored unless it sets \`transient\`.

| Part | Stored | About | Data |
|---|---|---|---|
${rows.join('\n')}
`
}

interface JsonSchema {
  type?: string
  enum?: unknown[]
  anyOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: unknown
}

/** Formats a schema inline: `{id: string, off?: boolean}`. */
function describe(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(' or ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(describe).join(' or ')
  if (schema.type === 'array') return schema.items?.type === undefined ? 'list' : `list of ${describe(schema.items)}`
  if (schema.properties === undefined) return schema.type ?? 'anything'
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const optional = schema.required?.includes(name) === true ? '' : '?'
    return `\`${name}${optional}\`: ${describe(field)}`
  })
  if (typeof schema.additionalProperties === 'object') fields.push('…')
  return `{${fields.join(', ')}}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

import { configSchema } from '@troupe/server/config'
import { z } from 'zod'

export const file = 'docs/config.schema.json'

/** Generates the JSON Schema of config.json, which editors use for completion and validation. */
export async function generate(): Promise<string> {
  const schema = z.toJSONSchema(configSchema, { io: 'input' })
  return `${JSON.stringify({ ...schema, title: 'Troupe configuration' }, null, 2)}\n`
}

import { outputSchema } from '../output/output-schema.ts'
import type { OutputSchema, OutputSource } from '../output/output-schema-types.ts'

const schemaCache = new WeakMap<OutputSource, OutputSchema>()

/** Made once per schema: its JSON Schema and notation cost more than the rest of a turn. */
export function cachedOutputSchema(source: OutputSource): OutputSchema {
  let schema = schemaCache.get(source)
  if (schema === undefined) schemaCache.set(source, (schema = outputSchema(source)))
  return schema
}

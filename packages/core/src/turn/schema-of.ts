import { outputSchema } from '../output/output-schema.ts'
import type { OutputSchema, OutputSource } from '../output/output-schema-types.ts'

const known = new WeakMap<OutputSource, OutputSchema>()

/** Made once per schema: its JSON Schema and notation cost more than the rest of a turn. */
export function schemaOf(source: OutputSource): OutputSchema {
  let schema = known.get(source)
  if (schema === undefined) known.set(source, (schema = outputSchema(source)))
  return schema
}

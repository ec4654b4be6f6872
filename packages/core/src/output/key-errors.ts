import { NamedError } from '../error.ts'

/** The output schema has no such path. */
export function keyNotInSchema(path: string, known: readonly string[]): NamedError {
  const shown = known.slice(0, 20).join(', ')
  const more = known.length > 20 ? ` and ${known.length - 20} more` : ''
  return new NamedError(
    'KeyNotInSchema',
    `The output schema has no "${path}". It has: ${shown}${more}. Pass { mustInPrompt: false } to wait for it all the same.`,
    { data: { path, known: known.slice(0, 100) } },
  )
}

/** The answer ended without it. */
export function keyNeverArrived(path: string): NamedError {
  return new NamedError(
    'KeyNeverArrived',
    `The answer ended without "${path}". Pass { optional: true } if it may be missing, or ensure it in the schema.`,
    { data: { path } },
  )
}

export function outputSchemaMissing(): NamedError {
  return new NamedError(
    'OutputSchemaMissing',
    'There are no keys to wait for without an output schema. Set one with .output(schema) first.',
  )
}

export function noHandlers(): NamedError {
  return new NamedError('NoHandlers', 'Nothing to wait for: register handlers with .when(key, handler) first.')
}

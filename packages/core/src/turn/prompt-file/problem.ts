import { NamedError } from '../../error.ts'
import type { SourcePosition } from './place.ts'

/** Throws what is wrong with a prompt file, with its name, the line and the key. */
export type Fail = (message: string, place: SourcePosition, key: string) => never

export function failInFile(file: string): Fail {
  return (message, { line }, key) => {
    throw promptFileError(file, line, key, message)
  }
}

export function promptFileError(file: string, line: number, key: string, message: string): NamedError {
  const at = key === '' ? '' : ` ${key}:`
  return new NamedError('BadPromptFile', `${file}:${line}:${at} ${message}`, { data: { file, line, key } })
}

import { createContext, use } from 'react'
import type { FieldValue } from '@troupe/core/protocol'

/** What fields and buttons of a form stand on. */
export interface FormState {
  values: Readonly<Record<string, FieldValue>>
  /** The field that is not as it should be, and why. */
  problem?: { field: string; text: string } | undefined
  disabled: boolean
  set(name: string, value: FieldValue): void
  cancel(): void
}

const nothing: FormState = { values: {}, disabled: true, set: () => undefined, cancel: () => undefined }

export const FormContext = createContext<FormState>(nothing)

/** Without a form around it, a field is only a picture of itself. */
export function useForm(): FormState {
  return use(FormContext)
}

import type { UiElement } from '@troupe/core/protocol'
import type { ReactNode } from 'react'
import type { ComponentType } from 'react'
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

export type UiPart = ComponentType<UiPartProps>

/** What every part gets: values that were checked against the catalogue, and what stands inside it. */
export interface UiPartProps {
  attributes: UiElement['attributes']
  /** The words inside, for parts that hold nothing else. */
  text: string
  children: ReactNode
}

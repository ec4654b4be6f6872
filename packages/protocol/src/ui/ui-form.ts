import { elementsIn, type UiElement } from './ui-tree.ts'

export type FieldValue = string | number | boolean | string[]

export type FormAnswer =
  | { action: 'submit'; values: Record<string, FieldValue>; button?: string }
  | { action: 'cancel'; values?: undefined; button?: undefined }

const fields = new Set(['TextField', 'TextArea', 'Select', 'Radio', 'Checkbox', 'Slider'])
const maxTextLength = 20_000

export function fieldsIn(root: UiElement): UiElement[] {
  return elementsIn(root).filter(({ type }) => fields.has(type))
}

export function isForm(root: UiElement): boolean {
  return elementsIn(root).some(({ type }) => type === 'Button' || fields.has(type))
}

export function initialValues(root: UiElement, data: Readonly<Record<string, unknown>>): Record<string, FieldValue> {
  return Object.fromEntries(
    fieldsIn(root).map((field) => {
      const name = fieldName(field)
      const given = Object.hasOwn(data, name) ? readField(field, data[name]) : undefined
      return [
        name,
        given === undefined || (typeof given === 'object' && 'problem' in given) ? emptyValue(field) : given,
      ]
    }),
  )
}

export function readForm(
  root: UiElement,
  given: Readonly<Record<string, unknown>>,
): { values: Record<string, FieldValue> } | { problem: string; field: string } {
  const values: Record<string, FieldValue> = {}
  for (const field of fieldsIn(root)) {
    const name = fieldName(field)
    const value = readField(field, Object.hasOwn(given, name) ? given[name] : undefined)
    if (typeof value === 'object' && 'problem' in value) return { problem: value.problem, field: name }
    values[name] = value
  }
  return { values }
}

export function fieldName({ attributes: { name } }: UiElement): string {
  return typeof name === 'string' ? name : ''
}

export function fieldLabel({ attributes: { label } }: UiElement): string {
  return typeof label === 'string' ? label : ''
}

function readField(field: UiElement, given: unknown): FieldValue | { problem: string } {
  const { attributes } = field
  const label = fieldLabel(field)
  const value = given === undefined || given === null ? emptyValue(field) : given
  if (attributes['required'] === true && isEmpty(value)) return { problem: `"${label}" must be filled in.` }
  switch (field.type) {
    case 'Checkbox':
      return typeof value === 'boolean' ? value : { problem: `"${label}" must be yes or no.` }
    case 'Slider':
      return inRange(field, value) ?? { problem: `"${label}" must be a number within its limits.` }
    case 'Select':
    case 'Radio':
      return readChoice(field, value) ?? { problem: `"${label}" must be one of its options.` }
    default:
      return readText(field, value, label)
  }
}

function readText(field: UiElement, value: unknown, label: string): FieldValue | { problem: string } {
  const { type, maxLength } = field.attributes
  if (value === '') return value
  if (type === 'number') return inRange(field, value) ?? { problem: `"${label}" must be a number within its limits.` }
  if (typeof value !== 'string') return { problem: `"${label}" must be text.` }
  const most = typeof maxLength === 'number' ? Math.min(maxLength, maxTextLength) : maxTextLength
  if (value.length > most) return { problem: `"${label}" is longer than ${most} characters.` }
  return value
}

function readChoice({ attributes }: UiElement, value: unknown): string | string[] | undefined {
  const options = (attributes['options'] as readonly { value: string }[]).map((option) => option.value)
  if (attributes['multiple'] === true) {
    const chosen = Array.isArray(value) ? value : [value]
    return chosen.every((one) => options.includes(one as string)) ? (chosen as string[]) : undefined
  }
  return value === '' || options.includes(value as string) ? (value as string) : undefined
}

function inRange({ attributes }: UiElement, value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value
  const { min, max } = attributes
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined
  if (typeof min === 'number' && number < min) return undefined
  return typeof max === 'number' && number > max ? undefined : number
}

function emptyValue({ type, attributes }: UiElement): FieldValue {
  if (type === 'Checkbox') return false
  if (type === 'Slider') return typeof attributes['min'] === 'number' ? attributes['min'] : 0
  return attributes['multiple'] === true ? [] : ''
}

function isEmpty(value: unknown): boolean {
  return value === '' || value === false || (Array.isArray(value) && value.length === 0)
}

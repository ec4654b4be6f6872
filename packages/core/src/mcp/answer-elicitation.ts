import type { ElicitRequestParams, ElicitResult } from '@modelcontextprotocol/client'
import type { Question } from '../protocol/questions.ts'
import { readAnswers } from '../protocol/read-answers.ts'
import type { ActiveCall } from './active-calls.ts'
import { askToVisit } from './ask-to-visit.ts'

type Value = string | number | boolean | string[]

interface Field {
  name: string
  isRequired: boolean
  question: Question
  /** The value that the person's words stand for. A complaint is thrown. */
  read(words: string[]): Value
}

const leaveOut = 'Leave it out'
const most = 40
const tries = 3

/** A server wants to know something from the person: each field of its form becomes a question, four at a time. */
export async function answerElicitation(
  server: string,
  params: ElicitRequestParams,
  call: Pick<ActiveCall, 'ask'>,
): Promise<ElicitResult> {
  if (!('requestedSchema' in params)) return askToVisit(server, params, call)
  const { properties, required = [] } = params.requestedSchema
  const fields = Object.entries(properties).map(([name, schema]) => fieldOf(name, schema as FieldSchema, required))
  if (fields.length > most) throw new Error(`a form has at most ${most} fields`)
  const title = `The MCP server "${server}" asks: ${cut(params.message, 1000)}`
  if (fields.length === 0) return confirm(title, call)
  const content: Record<string, Value> = {}
  for (let at = 0; at < fields.length; at += 4) {
    const said = await askFields(title, fields.slice(at, at + 4), call)
    if (said === undefined) return { action: 'decline' }
    Object.assign(content, said)
  }
  return { action: 'accept', content }
}

async function confirm(title: string, call: Pick<ActiveCall, 'ask'>): Promise<ElicitResult> {
  const questions = [{ ...questionOf('Go on?'), options: [option('Yes'), option('No')] }]
  const answer = await call.ask({ kind: 'question', title, content: { questions } })
  if (answer.type !== 'answers') return { action: 'decline' }
  const said = readAnswers(questions, answer.answers)
  return { action: typeof said !== 'string' && said[0]?.selected[0] === 'Yes' ? 'accept' : 'decline' }
}

/** Undefined: the person does not want to. What they said wrong is asked again. */
async function askFields(
  title: string,
  fields: Field[],
  call: Pick<ActiveCall, 'ask'>,
): Promise<Record<string, Value> | undefined> {
  let complaint = ''
  for (let attempt = 0; attempt < tries; attempt++) {
    const questions = fields.map(({ question }) => question)
    const answer = await call.ask({
      kind: 'question',
      title: complaint === '' ? title : `${title} (${complaint})`,
      content: { questions },
    })
    if (answer.type !== 'answers') return undefined
    const said = readAnswers(questions, answer.answers)
    if (typeof said === 'string') {
      complaint = said
      continue
    }
    try {
      const values = fields.flatMap((field, index): [string, Value][] => {
        const { selected = [], text } = said[index] ?? {}
        const words = [...selected.filter((word) => word !== leaveOut), ...(text === undefined ? [] : [text])]
        if (words.length > 0) return [[field.name, field.read(words)]]
        if (field.isRequired) throw new Error(`"${field.name}" is needed.`)
        return []
      })
      return Object.fromEntries(values)
    } catch (error) {
      complaint = (error as Error).message
    }
  }
  throw new Error('the answers of the person did not fit the form')
}

/** The schemas that a form may have, as far as they matter here. */
interface FieldSchema {
  type?: string
  title?: string
  description?: string
  default?: string | number | boolean | string[] | null
  enum?: string[]
  enumNames?: string[]
  oneOf?: { const: string; title: string }[]
  items?: { enum?: string[]; anyOf?: { const: string; title: string }[] }
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

function fieldOf(name: string, schema: FieldSchema, required: readonly string[]): Field {
  const isRequired = required.includes(name)
  const choices = choicesOf(schema)
  const isList = schema.type === 'array'
  const about = [schema.title ?? name, schema.description].filter((text) => text !== undefined).join(': ')
  const listed = choices.length > 4 ? ` One of: ${choices.map(({ label }) => label).join(', ')}` : ''
  const question = { ...questionOf(cut(`${about}${listed}`, 1900)), header: cut(schema.title ?? name, 60) }
  const offered = choices.length > 0 ? choices.map(({ label }) => label) : preset(schema)
  const labels = [...new Set(offered.slice(0, isRequired ? 4 : 3).map((label) => cut(label, 200)))]
  if (!isRequired || labels.length < 2) labels.push(leaveOut)
  // A question has two options at least; the person can always answer in words of their own.
  if (labels.length < 2) labels.unshift('I will write it')
  return {
    name,
    isRequired,
    question: { ...question, multiSelect: isList, options: labels.map(option) },
    read(words) {
      const meant = words.map(
        (word) => choices.find(({ label, value }) => label === word || value === word)?.value ?? word,
      )
      return readValue(name, schema, choices, isList ? meant.flatMap((word) => word.split(/\s*,\s*/)) : meant)
    },
  }
}

function readValue(name: string, schema: FieldSchema, choices: { value: string }[], words: string[]): Value {
  const unknown = choices.length > 0 ? words.find((word) => !choices.some(({ value }) => value === word)) : undefined
  if (unknown !== undefined) throw new Error(`"${cut(unknown, 100)}" is none of the choices of "${name}".`)
  if (schema.type === 'array') return words
  const [word = ''] = words
  if (schema.type === 'boolean') {
    if (/^(yes|true|y|1|on)$/i.test(word)) return true
    if (/^(no|false|n|0|off)$/i.test(word)) return false
    throw new Error(`"${name}" is yes or no.`)
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    const number = Number(word)
    const { minimum = -Infinity, maximum = Infinity } = schema
    const isFit = word.trim() !== '' && number >= minimum && number <= maximum
    if (!isFit || (schema.type === 'integer' && !Number.isInteger(number)))
      throw new Error(`"${name}" is ${schema.type === 'integer' ? 'a whole number' : 'a number'} within its limits.`)
    return number
  }
  if (word.length < (schema.minLength ?? 0)) throw new Error(`"${name}" is too short.`)
  if (word.length > (schema.maxLength ?? Infinity)) throw new Error(`"${name}" is too long.`)
  return word
}

function choicesOf({ enum: values, enumNames, oneOf, items }: FieldSchema): { label: string; value: string }[] {
  const titled = oneOf ?? items?.anyOf
  if (titled !== undefined) return titled.map(({ const: value, title }) => ({ label: title, value }))
  return (values ?? items?.enum ?? []).map((value, index) => ({ label: enumNames?.[index] ?? value, value }))
}

function preset({ type, default: given }: FieldSchema): string[] {
  if (type === 'boolean') return given === false ? ['No', 'Yes'] : ['Yes', 'No']
  return given === undefined || given === null || given === '' ? [] : [String(given)]
}

function questionOf(question: string): Question {
  return { question, header: '', options: [], multiSelect: false }
}

function option(label: string): Question['options'][number] {
  return { label, description: '' }
}

function cut(text: string, length: number): string {
  const clean = text.toWellFormed().trim() || 'It does not say what.'
  return clean.length <= length ? clean : `${clean.slice(0, length - 1).toWellFormed()}…`
}

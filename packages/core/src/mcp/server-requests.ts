import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ElicitRequestParams, ElicitResult, RequestTypeMap, ResultTypeMap } from '@modelcontextprotocol/client'
import { type Question, readAnswers } from '@troupe/protocol'
import { z } from 'zod'
import { answerError, toUsage } from '../model/check-answer.ts'
import { guarded } from '../model/spend-guard.ts'
import type { ActiveMcpCall } from './active-calls.ts'

type Value = string | number | boolean | string[]

interface Field {
  name: string
  isRequired: boolean
  question: Question
  /** Parses the person's answer. Throws a message for them if it is invalid. */
  read(words: string[]): Value
}

const skipLabel = 'Skip'
const maxFields = 40
const maxAttempts = 10

/** Answers a server's form by asking the person one question per field, four at a time. */
export async function answerElicitation(
  server: string,
  params: ElicitRequestParams,
  call: Pick<ActiveMcpCall, 'ask'>,
): Promise<ElicitResult> {
  if (!('requestedSchema' in params)) return askToOpenUrl(server, params, call)
  const { properties, required = [] } = params.requestedSchema
  const fields = Object.entries(properties).map(([name, schema]) => readField(name, schema as FieldSchema, required))
  if (fields.length > maxFields) throw new Error(`a form can have at most ${maxFields} fields`)
  const title = `The MCP server "${server}" asks: ${shorten(params.message, 1000)}`
  if (fields.length === 0) return confirm(title, call)
  const content: Record<string, Value> = {}
  for (let at = 0; at < fields.length; at += 4) {
    const said = await askFields(title, fields.slice(at, at + 4), call)
    if (said === undefined) return { action: 'decline' }
    Object.assign(content, said)
  }
  return { action: 'accept', content }
}

async function confirm(title: string, call: Pick<ActiveMcpCall, 'ask'>): Promise<ElicitResult> {
  const questions = [{ ...toQuestion('Continue?'), options: [option('Yes'), option('No')] }]
  const answer = await call.ask({ kind: 'question', title, content: { questions } })
  if (answer.type !== 'answers') return { action: 'decline' }
  const said = readAnswers(questions, answer.answers)
  return { action: typeof said !== 'string' && said[0]?.selected[0] === 'Yes' ? 'accept' : 'decline' }
}

/** Undefined if the person declines. Asks again only for invalid answers. */
async function askFields(
  title: string,
  fields: Field[],
  call: Pick<ActiveMcpCall, 'ask'>,
): Promise<Record<string, Value> | undefined> {
  const values: Record<string, Value> = {}
  let open = fields
  let complaints: string[] = []
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const questions = open.map(({ question }) => question)
    const answer = await call.ask({
      kind: 'question',
      title: complaints.length === 0 ? title : `${title} (${complaints.join(' ')})`,
      content: { questions },
    })
    if (answer.type !== 'answers') return undefined
    const said = readAnswers(questions, answer.answers)
    if (typeof said === 'string') {
      complaints = [said]
      continue
    }
    complaints = []
    open = open.filter((field, index) => {
      const { selected = [], text } = said[index] ?? {}
      const words = [...selected.filter((word) => word !== skipLabel), ...(text === undefined ? [] : [text])]
      try {
        if (words.length > 0) values[field.name] = field.read(words)
        else if (field.isRequired) throw new Error(`"${field.name}" is required.`)
        return false
      } catch (error) {
        complaints.push((error as Error).message)
        return true
      }
    })
    if (open.length === 0) return values
  }
  throw new Error("the user's answers do not fit the form")
}

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
  minItems?: number
  maxItems?: number
  format?: string
}

/** Checks for known string formats. The server validates all others. */
const formats: Readonly<Record<string, { is: (text: string) => boolean; example: string }>> = {
  email: { is: (text) => z.email().safeParse(text).success, example: 'an email address, such as name@example.com' },
  uri: { is: (text) => URL.canParse(text), example: 'a URL, such as https://example.com' },
  date: { is: (text) => z.iso.date().safeParse(text).success, example: 'a date, such as 2026-03-31' },
  'date-time': {
    is: (text) => z.iso.datetime({ offset: true }).safeParse(text).success,
    example: 'a date and time, such as 2026-03-31T09:30:00Z',
  },
}

function readField(name: string, schema: FieldSchema, required: readonly string[]): Field {
  const isRequired = required.includes(name)
  const choices = readChoices(schema)
  const isList = schema.type === 'array'
  const about = [schema.title ?? name, schema.description].filter((text) => text !== undefined).join(': ')
  const listed = choices.length > 4 ? ` One of: ${choices.map(({ label }) => label).join(', ')}` : ''
  const question = { ...toQuestion(shorten(`${about}${listed}`, 1900)), header: shorten(schema.title ?? name, 60) }
  const offered = choices.length > 0 ? choices.map(({ label }) => label) : preset(schema)
  const labels = [...new Set(offered.slice(0, isRequired ? 4 : 3).map((label) => shorten(label, 200)))]
  if (!isRequired) labels.push(skipLabel)
  return {
    name,
    isRequired,
    question: { ...question, multiSelect: isList, options: labels.map(option) },
    read(words) {
      const valueOf = (word: string): string | undefined =>
        choices.find(({ label, value }) => shorten(label, 200) === word || value === word)?.value
      // Split lists at commas and line breaks, but keep text that matches an option as a whole.
      const meant = words.flatMap((word) => {
        const value = valueOf(word)
        if (value !== undefined || !isList) return value ?? word
        return word.split(/\s*[,\n]\s*/).map((one) => valueOf(one) ?? one)
      })
      return readValue(name, schema, choices, meant)
    },
  }
}

function readValue(name: string, schema: FieldSchema, choices: { value: string }[], words: string[]): Value {
  const unknown = choices.length > 0 ? words.find((word) => !choices.some(({ value }) => value === word)) : undefined
  if (unknown !== undefined) throw new Error(`"${shorten(unknown, 100)}" is not one of the options of "${name}".`)
  if (schema.type === 'array') {
    const { minItems = 0, maxItems = Infinity } = schema
    if (words.length < minItems) throw new Error(`"${name}" needs at least ${minItems}.`)
    if (words.length > maxItems) throw new Error(`"${name}" accepts at most ${maxItems}.`)
    return words
  }
  const [word = ''] = words
  if (schema.type === 'boolean') {
    if (/^(yes|true|y|1|on)$/i.test(word)) return true
    if (/^(no|false|n|0|off)$/i.test(word)) return false
    throw new Error(`"${name}" must be yes or no.`)
  }
  if (schema.type === 'number' || schema.type === 'integer') {
    const number = Number(word)
    const { minimum = -Infinity, maximum = Infinity } = schema
    const isFit = word.trim() !== '' && Number.isFinite(number) && number >= minimum && number <= maximum
    if (!isFit || (schema.type === 'integer' && !Number.isInteger(number)))
      throw new Error(
        `"${name}" must be ${schema.type === 'integer' ? 'a whole number' : 'a number'}${describeLimits(schema)}.`,
      )
    return number
  }
  const { minLength = 0, maxLength = Infinity, format = '' } = schema
  const { length } = Array.from(word)
  if (length < minLength) throw new Error(`"${name}" needs at least ${minLength} characters.`)
  if (length > maxLength) throw new Error(`"${name}" accepts at most ${maxLength} characters.`)
  const wanted = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (wanted?.is(word) === false) throw new Error(`"${name}" must be ${wanted.example}.`)
  return word
}

function describeLimits({ minimum, maximum }: FieldSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return `, at least ${minimum}`
  return maximum === undefined ? '' : `, at most ${maximum}`
}

function readChoices({ enum: values, enumNames, oneOf, items }: FieldSchema): { label: string; value: string }[] {
  const titled = oneOf ?? items?.anyOf
  if (titled !== undefined) return titled.map(({ const: value, title }) => ({ label: title, value }))
  return (values ?? items?.enum ?? []).map((value, index) => ({ label: enumNames?.[index] ?? value, value }))
}

function preset({ type, default: given }: FieldSchema): string[] {
  if (type === 'boolean') return given === false ? ['No', 'Yes'] : ['Yes', 'No']
  return given === undefined || given === null || given === '' ? [] : [String(given)]
}

function toQuestion(question: string): Question {
  return { question, header: '', options: [], multiSelect: false }
}

function option(label: string): Question['options'][number] {
  return { label, description: '' }
}

function shorten(text: string, length: number): string {
  const clean = text.toWellFormed().trim() || 'It gave no message.'
  return clean.length <= length ? clean : `${clean.slice(0, length - 1).toWellFormed()}…`
}

const openLabel = 'I will open it'
const maxUrlLength = 1500

/**
 * Asks the person to open a URL, for a login or a payment, and shows where it leads. Opens and fetches nothing itself.
 * Throws for an unsafe URL.
 */
export async function askToOpenUrl(
  server: string,
  { message, url }: { message: string; url: string },
  call: Pick<ActiveMcpCall, 'ask'>,
): Promise<ElicitResult> {
  const link = checked(url)
  const why = message.toWellFormed().replace(/\s+/g, ' ').trim().slice(0, 300) || 'It gave no reason.'
  const questions = [
    {
      question: `${why}\n\nThe link goes to ${link.host}:\n${link.href}`,
      header: 'Address',
      options: [
        { label: openLabel, description: 'Nothing opens automatically. Copy the URL into your browser.' },
        { label: 'Refuse', description: 'The server is told that you declined.' },
      ],
      multiSelect: false,
    },
  ]
  const answer = await call.ask({
    kind: 'question',
    title: `The MCP server "${server}" wants you to open a URL on ${link.host}`,
    content: { questions, link: link.href },
  })
  if (answer.type !== 'answers') return { action: 'decline' }
  const said = readAnswers(questions, answer.answers)
  return { action: typeof said !== 'string' && said[0]?.selected[0] === openLabel ? 'accept' : 'decline' }
}

function checked(given: string): URL {
  const url = URL.parse(given)
  if (url === null || given.length > maxUrlLength) throw new Error('the URL is invalid or too long')
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw new Error('only https URLs are allowed')
  if (url.username !== '' || url.password !== '')
    throw new Error('URLs that contain a user name or password are not allowed')
  return url
}

type SamplingParams = RequestTypeMap['sampling/createMessage']['params']
type SamplingResult = ResultTypeMap['sampling/createMessage']

const maxTokens = 8000
const maxCharacters = 200_000
const allowLabel = 'Allow'

/** Lets a server sample from our model, but only after the person has seen the request and approved it. */
export async function answerSampling(
  server: string,
  params: SamplingParams,
  { ask, ctx, signal }: Pick<ActiveMcpCall, 'ask' | 'ctx' | 'signal'>,
): Promise<SamplingResult> {
  if ((params.tools?.length ?? 0) > 0) throw new Error('tools are not supported in model requests')
  const prompt = samplingPrompt(params)
  const shown = prompt.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : textIn(content)}`)
  const length = shown.reduce((sum, text) => sum + text.length, 0)
  if (length > maxCharacters) throw new Error(`the request is longer than ${maxCharacters} characters`)
  const { id, model, guard } = ctx.chatModel
  const questions = [
    {
      question: `Allow the MCP server "${server}" to send this to ${id}?\n\n${shown.join('\n\n').slice(0, 1800)}`,
      header: 'Model',
      options: [
        { label: allowLabel, description: 'The answer goes to the server, and you pay for the request.' },
        { label: 'Refuse', description: 'The server is told that you declined.' },
      ],
      multiSelect: false,
    },
  ]
  const answer = await ask({
    kind: 'question',
    title: `The MCP server "${server}" wants to use your model`,
    content: { questions, prompt: shown },
  })
  const said = answer.type === 'answers' ? readAnswers(questions, answer.answers) : 'no'
  if (typeof said === 'string' || said[0]?.selected[0] !== allowLabel) throw new Error('the user declined')
  const { temperature, stopSequences } = params
  const request = { prompt, maxOutputTokens: Math.min(params.maxTokens, maxTokens), temperature, stopSequences }
  const result = await guarded(guard, request, signal, () => model.doGenerate({ ...request, abortSignal: signal }))
  ctx.spend?.(toUsage(result.usage))
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const { finishReason, providerMetadata } = result
  const { provider, modelId } = model
  const fault = answerError({
    finish: { finishReason, providerMetadata },
    provider,
    model: modelId,
    hasText: text.trim() !== '',
    calls: 0,
    hasEarlierText: false,
  })
  if (fault !== undefined) throw fault
  return {
    model: id,
    role: 'assistant',
    content: { type: 'text', text },
    stopReason: result.finishReason.unified === 'length' ? 'maxTokens' : 'endTurn',
  }
}

function samplingPrompt({ systemPrompt, messages }: SamplingParams): LanguageModelV4Prompt {
  const turns = messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content]
    const text = blocks.map((block) => {
      if (block.type === 'text') return block.text.toWellFormed()
      throw new Error(`a model request can only contain text, not ${block.type}`)
    })
    return { role, content: [{ type: 'text' as const, text: text.join('\n') }] }
  })
  return [
    ...(systemPrompt === undefined ? [] : [{ role: 'system' as const, content: systemPrompt.toWellFormed() }]),
    ...turns,
  ]
}

function textIn(content: readonly { type: string }[]): string {
  return content.flatMap((part) => ('text' in part && typeof part.text === 'string' ? [part.text] : [])).join('\n')
}

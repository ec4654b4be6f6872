import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { RequestTypeMap, ResultTypeMap } from '@modelcontextprotocol/client'
import { readAnswers } from '../protocol/read-answers.ts'
import { answerError } from '../run/answer-fault.ts'
import { toUsage } from '../run/usage.ts'
import type { ActiveMcpCall } from './active-calls.ts'

type SamplingParams = RequestTypeMap['sampling/createMessage']['params']
type SamplingResult = ResultTypeMap['sampling/createMessage']

const maxTokens = 8000
const maxCharacters = 200_000
const allowLabel = 'Let it'

/** A server wants our model to write something: only after the person has seen what, and said yes. */
export async function answerSampling(
  server: string,
  params: SamplingParams,
  { ask, ctx, signal }: Pick<ActiveMcpCall, 'ask' | 'ctx' | 'signal'>,
): Promise<SamplingResult> {
  if ((params.tools?.length ?? 0) > 0) throw new Error('models are lent without tools')
  const prompt = samplingPrompt(params)
  const shown = prompt.map(({ role, content }) => `${role}: ${typeof content === 'string' ? content : textIn(content)}`)
  const length = shown.reduce((sum, text) => sum + text.length, 0)
  if (length > maxCharacters) throw new Error(`the request is longer than ${maxCharacters} characters`)
  const { id, model } = ctx.chatModel
  const questions = [
    {
      question: `May the MCP server "${server}" have ${id} answer this?\n\n${shown.join('\n\n').slice(0, 1800)}`,
      header: 'Model',
      options: [
        { label: allowLabel, description: 'The answer goes to the server, and you pay for it.' },
        { label: 'Refuse', description: 'The server is told that you do not want it.' },
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
  if (typeof said === 'string' || said[0]?.selected[0] !== allowLabel) throw new Error('the person does not want it')
  const { temperature, stopSequences } = params
  const result = await model.doGenerate({
    prompt,
    maxOutputTokens: Math.min(params.maxTokens, maxTokens),
    ...(temperature !== undefined && { temperature }),
    ...(stopSequences !== undefined && { stopSequences }),
    abortSignal: signal,
  })
  ctx.spend?.(toUsage(result.usage))
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const { finishReason, providerMetadata } = result
  const { provider, modelId } = model
  const fault = answerError({
    finish: { finishReason, ...(providerMetadata !== undefined && { providerMetadata }) },
    provider,
    model: modelId,
    said: text.trim() !== '',
    calls: 0,
    saidBefore: false,
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
      throw new Error(`a request for the model holds text only, not ${block.type}`)
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

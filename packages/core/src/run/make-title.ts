import type { LanguageModelV4 } from '@ai-sdk/provider'
import { NamedError, type StoredMessage } from '@troupe/protocol'
import { askModel, type AskModelOptions } from './ask-model.ts'

const maxTitleLength = 80
const maxSourceLength = 8000

/** Asks the model for a one-line title of a conversation. Throws a NamedError when it fails. */
export async function makeTitle(
  messages: readonly Pick<StoredMessage, 'role' | 'parts'>[],
  model: LanguageModelV4,
  hint = '',
  options: AskModelOptions = {},
): Promise<string> {
  const said = messages.map(lineOf).filter((line) => line !== '')
  const text = said.join('\n')
  if (text === '' && hint === '') throw new NamedError('NothingToTitle', 'There is nothing to make a title from yet.')
  const shown =
    text.length <= maxSourceLength
      ? text
      : `${text.slice(0, maxSourceLength / 2)}\n[…]\n${text.slice(-maxSourceLength / 2)}`
  const request = [
    'Give the conversation below a title: at most eight words, in its language, no quotation marks, no full stop. Answer with the title alone.',
    ...(hint === '' ? [] : [`The user's request for the title: ${hint}`]),
    shown,
  ].join('\n\n')
  const answer = await askModel(request, model, options)
  const line = answer.split('\n').find((one) => one.trim() !== '') ?? ''
  const title = line.replace(/[\p{Cc}\s]+/gu, ' ').replace(/^[\s"'“”#*]+|[\s"'“”*.]+$/g, '')
  if (title === '')
    throw new NamedError('NoTitle', 'The model did not return a title. Try again, or rename the chat yourself.')
  return title.length <= maxTitleLength ? title : `${title.slice(0, maxTitleLength).toWellFormed().trimEnd()}…`
}

function lineOf({ role, parts }: Pick<StoredMessage, 'role' | 'parts'>): string {
  const text = parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim()
  return text === '' ? '' : `${role === 'user' ? 'Person' : 'Agent'}: ${text}`
}

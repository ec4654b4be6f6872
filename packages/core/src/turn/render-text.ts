import type { PromptMessage } from './render-prompt.ts'

/** Messages as one text, for people and for models that complete texts. Files are named. */
export function renderText(messages: readonly PromptMessage[]): string {
  const blocks = messages.map(({ role, parts }) => {
    const texts = parts.flatMap((part) => {
      if (part.type === 'text') return [part.text]
      return part.type === 'file' ? [`[${part.filename ?? part.mediaType}]`] : []
    })
    return `${role}:\n${texts.join('\n\n')}`
  })
  return [...blocks, 'assistant:'].join('\n\n')
}

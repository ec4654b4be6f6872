import type { GetPromptResult } from '@modelcontextprotocol/client'

const longest = 200_000

/** The messages of a prompt as one text; who speaks is said where that is not the person alone. */
export function promptText({ messages }: Pick<GetPromptResult, 'messages'>): string {
  const isDialogue = messages.some(({ role }) => role !== 'user')
  const text = messages
    .map(({ role, content }) => (isDialogue ? `${role}: ${blockText(content)}` : blockText(content)))
    .join('\n\n')
    .toWellFormed()
  if (text.length <= longest) return text
  return `${text.slice(0, longest).toWellFormed()}\n[cut: ${text.length - longest} characters more]`
}

function blockText(block: GetPromptResult['messages'][number]['content']): string {
  if (block.type === 'text') return block.text
  if (block.type === 'resource_link') return `[resource: ${block.uri} ${block.name}]`
  if (block.type !== 'resource') return `[${block.type}: ${block.mimeType}, not brought in]`
  const { resource } = block
  return 'text' in resource
    ? `[resource: ${resource.uri}]\n${resource.text}`
    : `[resource: ${resource.uri}, not brought in]`
}

/** What we wrap texts in for a model, under names that files rarely have. No text in one can begin or end any of them. */
const tags = [
  'skill',
  'person-command',
  'mcp-prompt',
  'mentioned-file',
  'mentioned-folder',
  'mentioned-agent',
  'conversation-summary',
] as const
export type BlockTag = (typeof tags)[number]

const ownTagPattern = new RegExp(String.raw`<(?=[\s/\\]*(?:${tags.join('|')})(?![\w-]))`, 'gi')

/** A text of others, marked as what it is. Pure, so that the same message is the same to a model each time. */
export function wrapBlock(tag: BlockTag, attributes: Record<string, string | undefined>, body: string): string {
  const named = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}=${attribute(value)}`],
  )
  return `<${tag}${named.join('')}>\n${body.replace(ownTagPattern, '<\\')}\n</${tag}>`.toWellFormed()
}

function attribute(value: string): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')
}

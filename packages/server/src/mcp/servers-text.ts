import type { McpServer } from '@troupe/core'

const maxServers = 50
const maxInstructionsLength = 1000
const maxTotalLength = 6000

/** What agents are told of the servers that can be used, from the start of a session: their names and their own words. */
export function describeServers(
  servers: readonly Pick<McpServer, 'name' | 'state' | 'title' | 'instructions'>[],
): string {
  const ready = servers.filter(({ state }) => state === 'ready')
  if (ready.length === 0) return ''
  let left = maxTotalLength
  const lines = ready.slice(0, maxServers).map(({ name, title, instructions = '' }) => {
    const words = oneLine(instructions).slice(0, Math.min(maxInstructionsLength, left))
    left -= words.length
    const called = title === undefined || title === name ? name : `${name} (${oneLine(title).slice(0, 100)})`
    return `- ${called}${words === '' ? '' : `: ${words}`}`.toWellFormed()
  })
  if (ready.length > maxServers) lines.push(`- and ${ready.length - maxServers} more`)
  return `MCP servers, whose tools are called mcp__<server>_<tool>. What follows a name is what the server says of itself:\n${lines.join('\n')}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

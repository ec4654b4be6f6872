import type { McpInfo } from '../api/mcp-info.ts'
import { countOf, formatCount } from '../ui/format.ts'

/** How a server is, in a line. */
export function serverStatus(server: McpInfo): string {
  const { state, trust, login, tools, tokens, error } = server
  if (state === 'disabled') return 'switched off'
  if (login === 'needed') return 'you have to log in'
  if (state === 'needs-trust')
    return trust?.what === 'tools' ? 'its tools are not those you trusted' : 'not trusted yet'
  if (state === 'connecting') return 'connecting …'
  if (state === 'failed') return error ?? 'it does not work'
  const used = tools.filter(({ enabled }) => enabled).length
  const count = used === tools.length ? countOf(used, 'tool') : `${used} of ${countOf(tools.length, 'tool')}`
  return `${count} · about ${formatCount(tokens)} tokens in every call`
}

/** It can do nothing until the person trusts it or logs in. */
export function waitsForPerson({ enabled, state, login }: McpInfo): boolean {
  return enabled && (state === 'needs-trust' || login === 'needed')
}

import type { McpInfo } from '../api/settings-types.ts'
import { formatCount } from '../texts/format.ts'
import { translateServerText } from '../texts/server-texts.ts'
import { t } from '../texts/t.ts'

export function serverStatus(server: McpInfo): string {
  const { state, trust, login, tools, tokens, error } = server
  if (state === 'disabled') return t.mcp.status.off
  if (login === 'needed') return t.mcp.status.login
  if (state === 'needs-trust') return trust?.what === 'tools' ? t.mcp.status.otherTools : t.mcp.status.notTrusted
  if (state === 'connecting') return t.mcp.status.connecting
  if (state === 'failed') return error === null ? t.mcp.status.failed : translateServerText(error, 'text')
  const used = tools.filter(({ enabled }) => enabled).length
  return `${t.mcp.status.tools(used, tools.length)} · ${t.mcp.status.tokens(formatCount(tokens))}`
}

/** True if the server is blocked until the user trusts it or logs in. */
export function needsUser({ enabled, state, login }: McpInfo): boolean {
  return enabled && (state === 'needs-trust' || login === 'needed')
}

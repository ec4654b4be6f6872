import type { OAuthClientProvider } from '@modelcontextprotocol/client'

/** What keeps the tokens of a server, and sends the person to where they log in. */
export type McpLogin = OAuthClientProvider

/** Begins a login, or ends it with the code that the person came back with. */
export async function loginToMcp(
  login: McpLogin,
  options: { serverUrl: string; authorizationCode?: string },
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  const { auth } = await import('@modelcontextprotocol/client')
  return auth(login, options)
}

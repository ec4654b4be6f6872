import type { OAuthClientProvider } from '@modelcontextprotocol/client'

/** What keeps the tokens of a server, and sends the person to where they log in. */
export type McpLogin = OAuthClientProvider

/** What a server says of the login that it wants. */
export interface McpChallenge {
  scope?: string
  resourceMetadataUrl?: string
}

/** Begins a login, or ends it with the code that the person came back with. */
export async function loginToMcp(
  login: McpLogin,
  options: { serverUrl: string; challenge: McpChallenge; authorizationCode?: string; iss?: string; anew?: boolean },
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  const { auth } = await import('@modelcontextprotocol/client')
  const { serverUrl, challenge, authorizationCode, iss, anew } = options
  return auth(login, {
    serverUrl,
    ...(challenge.scope !== undefined && { scope: challenge.scope }),
    ...(challenge.resourceMetadataUrl !== undefined && { resourceMetadataUrl: new URL(challenge.resourceMetadataUrl) }),
    ...(authorizationCode !== undefined && { authorizationCode }),
    ...(iss !== undefined && { iss }),
    ...(anew === true && { forceReauthorization: true }),
  })
}

/** Knocks once without a token, to hear what login the server wants. */
export async function askForChallenge(serverUrl: string, signal: AbortSignal): Promise<McpChallenge> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const response = await fetch(serverUrl, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
    signal,
  })
  await response.body?.cancel()
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response)
  return {
    ...(scope !== undefined && { scope }),
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: resourceMetadataUrl.href }),
  }
}

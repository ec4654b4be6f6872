import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { askForChallenge, loginToMcp, type McpChallenge, type McpLogin, type McpServerConfig } from '@troupe/core'
import { type McpInfo, NamedError } from '@troupe/protocol'
import { readJsonFile } from '../config/config.ts'
import { writePrivately } from '../config/home.ts'

/** OAuth logins of MCP servers. Tokens are in their store only, and are not exposed elsewhere. */
export interface OAuthLogins {
  provider(at: McpAddress): McpLogin
  state(config: McpServerConfig | undefined): McpInfo['login']
  /** Returns the login URL, or undefined if already logged in. */
  begin(at: McpAddress): Promise<string | undefined>
  /** Completes a login and returns the server's URL. Throws `McpLoginUnknown` (400). */
  finish(back: { state: string; code: string; iss?: string }): Promise<string>
  forget(url: string): void
}

/** A server, and its OAuth client if one is configured. */
type McpAddress = Pick<Exclude<McpServerConfig, { type: 'stdio' }>, 'url' | 'client'>

interface PendingLogin {
  at: McpAddress
  challenge: McpChallenge
  verifier?: string
  until: number
}

export interface StoredLogin {
  tokens?: unknown
  client?: unknown
  discovery?: unknown
}

/** Storage of logins, by server URL. */
export interface LoginStore {
  read(url: string): StoredLogin | undefined
  write(url: string, login: StoredLogin): void
  remove(url: string): void
}

const loginTimeoutMs = 600_000

export function createOAuthLogins(options: { store: LoginStore; redirectUrl: () => string }): OAuthLogins {
  const { store } = options
  const open = new Map<string, PendingLogin>()
  /** Servers that need a login, with the requested scope. */
  const needed = new Map<string, McpChallenge>()

  const logins: OAuthLogins = {
    provider: (at) => createLogin(at, undefined),
    state(config) {
      if (config === undefined || config.type === 'stdio') return null
      if (needed.has(config.url)) return 'needed'
      return read(config.url).tokens === undefined ? null : 'done'
    },
    async begin(at) {
      const { url } = at
      const state = randomBytes(24).toString('base64url')
      for (const [key, { until }] of open) if (until < Date.now()) open.delete(key)
      const challenge = { ...(await askForChallenge(url, AbortSignal.timeout(30_000))), ...needed.get(url) }
      open.set(state, { at, challenge, until: Date.now() + loginTimeoutMs })
      let target: string | undefined
      const login = createLogin(at, state, (found) => void (target = found))
      await loginToMcp(login, { serverUrl: url, challenge, anew: needed.has(url) })
      return target
    },
    async finish({ state, code, iss }) {
      const waiting = open.get(state)
      open.delete(state)
      if (waiting === undefined || waiting.until < Date.now())
        throw new NamedError('McpLoginUnknown', 'This login has expired. Start it again.')
      const login = createLogin(waiting.at, state, undefined, waiting.verifier)
      const { challenge } = waiting
      await loginToMcp(login, {
        serverUrl: waiting.at.url,
        challenge,
        authorizationCode: code,
        iss,
      })
      needed.delete(waiting.at.url)
      return waiting.at.url
    },
    forget(url) {
      needed.delete(url)
      store.remove(url)
    },
  }
  return logins

  function createLogin(
    { url, client: known }: McpAddress,
    state: string | undefined,
    onTarget?: (target: string) => void,
    verifier?: string,
  ): McpLogin {
    return {
      get redirectUrl() {
        return options.redirectUrl()
      },
      get clientMetadata() {
        return {
          client_name: 'Troupe',
          redirect_uris: [options.redirectUrl()],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        }
      },
      state: state === undefined ? undefined : () => state,
      clientInformation: () => known ?? (read(url).client as never),
      saveClientInformation: (client) => keep(url, { client }),
      tokens: () => read(url).tokens as never,
      saveTokens(tokens) {
        needed.delete(url)
        keep(url, { tokens })
      },
      // A background connection cannot redirect the user, so record that a login is needed.
      redirectToAuthorization(target) {
        const scope = target.searchParams.get('scope')
        if (onTarget === undefined) needed.set(url, scope === null ? {} : { scope })
        else onTarget(target.href)
      },
      saveCodeVerifier(next) {
        const waiting = state === undefined ? undefined : open.get(state)
        if (waiting !== undefined) waiting.verifier = next
      },
      codeVerifier: () => verifier ?? '',
      saveDiscoveryState: (discovery) => keep(url, { discovery }),
      discoveryState: () => read(url).discovery as never,
      invalidateCredentials(what) {
        const kept = read(url)
        if (what === 'all' || what === 'client') delete kept.client
        if (what === 'all' || what === 'tokens') delete kept.tokens
        if (what === 'all' || what === 'discovery') delete kept.discovery
        store.write(url, kept)
      },
    }
  }

  function keep(url: string, change: StoredLogin): void {
    store.write(url, { ...read(url), ...change })
  }

  function read(url: string): StoredLogin {
    return { ...store.read(url) }
  }
}

/** Files of the home that only the user can read. */
export function createLoginFiles(home: string): LoginStore {
  const folder = path.join(home, 'mcp-logins')
  return {
    read: (url) => readJsonFile(fileOf(url)) as StoredLogin | undefined,
    write(url, login) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writePrivately(fileOf(url), JSON.stringify(login))
    },
    remove: (url) => rmSync(fileOf(url), { force: true }),
  }

  function fileOf(url: string): string {
    return path.join(folder, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`)
  }
}

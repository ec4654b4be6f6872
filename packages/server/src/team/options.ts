import { hkdfSync } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { NamedError } from '@troupe/protocol'
import type { Config } from '../config/config.ts'
import type { IsolationSettings } from '../config/team-settings.ts'
import { isLoopback } from '../http/listen.ts'

/** A single sign-on provider that speaks OpenID Connect. */
export interface OidcProvider {
  /** Part of the callback address: `<public URL>/ai/account/callback/<id>`. */
  id: string
  name?: string
  /** Its discovery document is at `<issuer>/.well-known/openid-configuration`. */
  issuer: string
  clientId: string
  /** Or `clientSecretEnv`, the name of an environment variable. */
  clientSecret?: string
  clientSecretEnv?: string
  /** People with a verified address of these domains may join as members without an invitation. */
  domains?: readonly string[]
}

export interface TeamOptions {
  /** The address that people open, such as `https://troupe.example.com`. Its host and origin are the only accepted ones. */
  publicUrl: string
  /** At least 32 characters. Signs sessions and encrypts secrets. */
  secretKey: string
  /** Earlier keys, which may still be needed to read what they encrypted. */
  oldSecretKeys?: readonly string[]
  databaseUrl?: string
  /** Files with the certificate and its key. */
  tls?: { cert: string; key: string }
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-* headers count. */
  trustedProxies?: readonly string[]
  providers?: readonly OidcProvider[]
  /** This process among the nodes. Only with `databaseUrl`. */
  node?: TeamConfig['node']
  /** Separates members on this machine. Without it, programs run as the server does. */
  isolation?: IsolationSettings
  /** A program that wraps and unwraps data keys, with its arguments. Default: a key from `secretKey`. */
  kmsCommand?: readonly string[]
}

/** `team` in config.json. Secrets come from the environment. */
export type TeamConfig = NonNullable<Config['team']>

/** Reads the settings of team mode from the environment and config.json. Throws `BadTeamSettings`. */
export function readTeamOptions(env: NodeJS.ProcessEnv, config: TeamConfig = {}): TeamOptions {
  const publicUrl = env['TROUPE_PUBLIC_URL'] || config.publicUrl
  const secretKey = env['TROUPE_SECRET_KEY']
  const databaseUrl = env['TROUPE_DATABASE_URL'] || config.databaseUrl
  if (!publicUrl)
    throw bad('Set TROUPE_PUBLIC_URL to the address that people open, such as https://troupe.example.com.')
  if (!secretKey) throw bad('Set TROUPE_SECRET_KEY to a secret, for example the output of "openssl rand -base64 32".')
  const providers = config.providers?.map((provider) => withSecret(provider, env))
  const { allowUnsandboxed, limits, userIds } = config
  return {
    publicUrl,
    secretKey,
    ...(env['TROUPE_SECRET_KEYS_OLD'] && {
      oldSecretKeys: env['TROUPE_SECRET_KEYS_OLD'].split(',').flatMap((key) => key.trim() || []),
    }),
    node: { ...config.node, ...nodeFromEnvironment(env) },
    isolation: { allowUnsandboxed, limits, userIds },
    ...(databaseUrl && { databaseUrl }),
    ...(config.tls && { tls: config.tls }),
    ...(config.trustedProxies && { trustedProxies: config.trustedProxies }),
    ...(providers && { providers }),
    ...(config.kmsCommand && { kmsCommand: config.kmsCommand }),
  }
}

function nodeFromEnvironment(env: NodeJS.ProcessEnv): NonNullable<TeamConfig['node']> {
  const labels = env['TROUPE_NODE_LABELS']?.split(',').filter((label) => label !== '')
  const given = {
    url: env['TROUPE_NODE_URL'],
    place: env['TROUPE_NODE_PLACE'],
    folder: env['TROUPE_NODE_FOLDER'],
    listenUrl: env['TROUPE_DATABASE_LISTEN_URL'],
    labels,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''))
}

export interface CheckedTeamOptions extends TeamOptions {
  origin: string
  host: string
  secure: boolean
  isTrustedProxy(address: string): boolean
  /** Derives a key for one purpose, from the current secret key or an earlier one. */
  derive(purpose: string, secretKey?: string): Buffer
}

/** Throws `BadTeamSettings` unless everyone can be served safely with these settings at this address. */
export function checkTeamOptions(options: TeamOptions, bindHost: string): CheckedTeamOptions {
  const url = URL.canParse(options.publicUrl) ? new URL(options.publicUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search + url.hash !== '')
    throw bad('The public URL must be an origin, such as https://troupe.example.com.')
  const secure = url.protocol === 'https:'
  if (!secure && !isLoopback(url.hostname.replace(/^\[|\]$/g, '')))
    throw bad('The public URL must begin with https://. Only addresses of this machine may use http://.')
  if (options.secretKey.length < 32) throw bad('TROUPE_SECRET_KEY must have at least 32 characters.')
  const proxies = options.trustedProxies ?? []
  if (!isLoopback(bindHost) && options.tls === undefined && proxies.length === 0)
    throw bad(`To serve "${bindHost}", set team.tls (certificate and key) or team.trustedProxies in config.json.`)
  if (secure && options.tls === undefined && proxies.length === 0 && !isLoopback(bindHost))
    throw bad('https needs team.tls or a trusted proxy.')
  const list = trustedList(proxies)
  return {
    ...options,
    origin: url.origin,
    host: url.host,
    secure,
    isTrustedProxy: (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'),
    derive: (purpose, secretKey = options.secretKey) =>
      Buffer.from(hkdfSync('sha256', secretKey, 'troupe', purpose, 32)),
  }
}

function trustedList(proxies: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of proxies) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address)
    const prefix = bits === undefined ? undefined : Number(bits)
    const most = family === 6 ? 128 : 32
    if (family === 0 || (prefix !== undefined && !(Number.isInteger(prefix) && prefix >= 1 && prefix <= most)))
      throw bad(`"${entry}" in team.trustedProxies is not an IP address or a range such as 10.0.0.0/8.`)
    const type = family === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, type)
    else list.addSubnet(address, prefix, type)
  }
  return list
}

function withSecret(provider: OidcProvider, env: NodeJS.ProcessEnv): OidcProvider {
  if (provider.clientSecretEnv === undefined) return provider
  const clientSecret = env[provider.clientSecretEnv]
  if (!clientSecret) throw bad(`The environment variable ${provider.clientSecretEnv} of "${provider.id}" is not set.`)
  return { ...provider, clientSecret }
}

function bad(message: string): NamedError {
  return new NamedError('BadTeamSettings', message, { status: 400 })
}

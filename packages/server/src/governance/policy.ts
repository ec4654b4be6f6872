import { type Mode, modes, parseRule } from '@troupe/core'
import { type McpEntry, NamedError, policySchema, type TeamPolicy } from '@troupe/protocol'
import type { WatchedFile } from '../config/config.ts'
import type { ManagedConfig } from '../permission/rule-layers.ts'
import type { TeamSettings } from './team-settings.ts'

/** The policy of the organization. Every node holds the current one in memory. */
export interface TeamPolicies {
  get(): { policy: TeamPolicy; version: number }
  /** Throws `BadPolicy` (422), and `PolicyChanged` (409) if another version was edited. */
  update(policy: TeamPolicy, version: number): Promise<{ policy: TeamPolicy; version: number }>
  /** The part that decides about tool calls. */
  managed: WatchedFile<ManagedConfig>
  allowsModel(ref: string): boolean
  /** Keys of providers that belong to members. */
  allowsOwnKeys(): boolean
  allowsHost(host: string): boolean
  /** `entry` is a server that a folder adds. */
  allowsMcpServer(entry: McpEntry): boolean
  onChange(listener: () => void): void
}

export async function openPolicies(settings: TeamSettings): Promise<TeamPolicies> {
  const listeners: (() => void)[] = []
  const setting = await settings.open<TeamPolicy>({
    name: 'policy',
    initial: {},
    load: (stored) => policySchema.parse(stored),
    save: (next) => next,
    onChange(next) {
      managed = toManaged(next)
      for (const listener of listeners) listener()
    },
  })
  let managed = toManaged(setting.get())
  const get = () => ({ policy: setting.get(), version: setting.version() })
  return {
    get,
    async update(policy, version) {
      checkPolicy(policy)
      if (setting.version() !== version) throw policyChanged()
      const before = setting.get()
      await setting.update((now) => {
        if (JSON.stringify(now) !== JSON.stringify(before)) throw policyChanged()
        return policy
      })
      return get()
    },
    managed: { path: 'the policy of the organization', get: () => managed, problem: () => undefined },
    allowsOwnKeys: () => setting.get().ownKeys !== false,
    allowsModel: (ref) => allowsModel(setting.get(), ref),
    allowsHost: (host) => allowsHost(setting.get(), host),
    allowsMcpServer: (entry) => allowsMcpServer(setting.get(), entry),
    onChange: (listener) => void listeners.push(listener),
  }
}

export function allowsModel({ models }: TeamPolicy, ref: string): boolean {
  return models === undefined || models.some((pattern) => matches(pattern, ref))
}

export function allowsMcpServer({ mcpServers }: TeamPolicy, entry: McpEntry): boolean {
  if (mcpServers === undefined) return true
  const shown = serverText(entry)
  return mcpServers.some((pattern) => matches(pattern, shown))
}

function allowsHost({ hosts, deniedHosts = [] }: TeamPolicy, host: string): boolean {
  const given = host.toLowerCase().replace(/\.+$/, '')
  const isIn = (list: readonly string[]): boolean =>
    list.some((one) => given === one.toLowerCase() || given.endsWith(`.${one.toLowerCase()}`))
  return !isIn(deniedHosts) && (hosts === undefined || isIn(hosts))
}

/** The URL of a server, or its command as in a shell: variables count, since they can change what a program does. */
function serverText({ command, args = [], env = {}, cwd, url }: McpEntry): string {
  if (url !== undefined) return URL.parse(url)?.href ?? url
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  return [...(cwd === undefined ? [] : [`cd ${cwd};`]), ...variables, command, ...args].join(' ')
}

function matches(pattern: string, text: string): boolean {
  const source = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*')
  return new RegExp(`^${source}$`, 'is').test(text)
}

export function toManaged(policy: TeamPolicy): ManagedConfig {
  const {
    permissions,
    mode,
    modes: allowed,
    ignoreAllowRules,
    tools,
    hosts,
    deniedTools = [],
    deniedHosts = [],
  } = policy
  const deny = [...(permissions?.deny ?? []), ...deniedTools, ...deniedHosts.map(hostRule)]
  return { permissions: { ...permissions, deny, mode }, modes: allowed, ignoreAllowRules, tools, hosts }
}

function hostRule(host: string): string {
  return `WebFetch(domain:${host})`
}

/** Throws `BadPolicy` (422) with all problems. An invalid rule would block nothing, or everything. */
export function checkPolicy(policy: TeamPolicy): void {
  const { permissions = {}, tools = [], deniedTools = [], hosts = [], deniedHosts = [] } = policy
  const rules = [...Object.values(permissions).flat(), ...[...hosts, ...deniedHosts].map(hostRule)]
  const problems = [
    ...rules.flatMap((text) => problemOf(() => parseRule(text ?? ''))),
    ...[...tools, ...deniedTools].flatMap((name) =>
      problemOf(() => {
        if (parseRule(name).pattern !== undefined) throw new Error(`"${name}" is not the name of a tool.`)
      }),
    ),
    ...modeProblems(policy),
  ]
  if (problems.length > 0)
    throw new NamedError('BadPolicy', `The policy is invalid. ${problems.slice(0, 5).join(' ')}`, {
      status: 422,
      data: { problems: problems.slice(0, 100) },
    })
}

function modeProblems({ mode, modes: allowed }: TeamPolicy): string[] {
  if (mode === undefined || allowed === undefined || mode === 'plan' || allowed.includes(mode)) return []
  return [`New chats cannot begin in the mode "${mode}", which is not allowed.`]
}

function problemOf(check: () => unknown): string[] {
  try {
    check()
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

function policyChanged(): NamedError {
  return new NamedError('PolicyChanged', 'Somebody else changed the policy meanwhile. Look at it again.', {
    status: 409,
  })
}

/** Modes that the policy forbids. */
export function forbiddenModes({ modes: allowed }: TeamPolicy): Mode[] {
  return allowed === undefined ? [] : modes.filter((mode) => mode !== 'plan' && !allowed.includes(mode))
}

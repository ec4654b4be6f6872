import type { LoginStore, StoredLogin } from '../mcp/oauth-logins.ts'
import type { Logger } from '../util/logger.ts'
import { organization, type Secrets } from './secrets.ts'
import type { TeamSettings } from './team-settings.ts'

type Logins = Record<string, StoredLogin>

const prefix = 'mcp-login/'

/** Logins of MCP servers, encrypted in the database. A change applies here immediately, and on other nodes once it is stored. */
export async function openTeamLogins(options: {
  settings: TeamSettings
  secrets: Secrets
  logger: Logger
}): Promise<LoginStore> {
  const { settings, secrets, logger } = options
  const setting = await settings.open<Logins>({
    name: 'mcp-logins',
    initial: {},
    async load() {
      const found = await secrets.list(organization, prefix)
      return Object.fromEntries(
        [...found].map(([name, text]) => [name.slice(prefix.length), JSON.parse(text) as StoredLogin]),
      )
    },
    async save(next, now, inside) {
      for (const url of new Set([...Object.keys(next), ...Object.keys(now)])) {
        const text = Object.hasOwn(next, url) ? JSON.stringify(next[url]) : undefined
        if (text !== (Object.hasOwn(now, url) ? JSON.stringify(now[url]) : undefined))
          await secrets.set(organization, prefix + url, text, inside)
      }
      return {}
    },
  })
  /** Changes that are not stored yet. Undefined: removed. */
  const pending = new Map<string, StoredLogin | undefined>()

  return {
    read: (url) => (pending.has(url) ? pending.get(url) : own(setting.get(), url)),
    write: (url, login) => change(url, login),
    remove: (url) => change(url, undefined),
  }

  function change(url: string, login: StoredLogin | undefined): void {
    pending.set(url, login)
    setting
      .update(({ [url]: _, ...others }) => (login === undefined ? others : { ...others, [url]: login }))
      .then(() => pending.get(url) === login && pending.delete(url))
      .catch((error: unknown) =>
        logger({ level: 'error', message: 'a login of an MCP server was not stored', error: String(error) }),
      )
  }
}

function own(logins: Logins, url: string): StoredLogin | undefined {
  return Object.hasOwn(logins, url) ? logins[url] : undefined
}

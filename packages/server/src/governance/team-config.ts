import { type Config, type ConfigFile, parseConfig, unknownKeys } from '../config/config.ts'
import { organization, type Secrets } from './secrets.ts'
import type { TeamSettings } from './team-settings.ts'

const path = 'the settings of the organization'
const prefix = 'config/'

/**
 * The organization's settings, in the shape of `config.json`. The database stores secrets encrypted, separate from
 * the rest. The file in the home is not used in team mode, except for settings of the start.
 */
export async function openTeamConfig(options: { settings: TeamSettings; secrets: Secrets }): Promise<ConfigFile> {
  const { settings, secrets } = options
  const setting = await settings.open<Config>({
    name: 'config',
    initial: {},
    async load(stored) {
      const found = await secrets.list(organization, prefix)
      const config = structuredClone(stored) as Config
      for (const [name, value] of found) setIn(config, name.slice(prefix.length).split('/').map(decode), value)
      return parseConfig(JSON.stringify(config), path)
    },
    async save(next, now, inside) {
      const { plain, found } = splitSecrets(next)
      const before = splitSecrets(now).found
      for (const [name, value] of found)
        if (before.get(name) !== value) await secrets.set(organization, prefix + name, value, inside)
      for (const name of before.keys())
        if (!found.has(name)) await secrets.set(organization, prefix + name, undefined, inside)
      return plain
    },
  })
  return {
    path,
    get: setting.get,
    warnings: () => unknownKeys(setting.get()).map((key) => `"${key}" is not a known setting.`),
    async update(change) {
      await setting.update((now) => parseConfig(JSON.stringify(change(structuredClone(now))), path))
    },
  }
}

/** Paths of secrets. `*` is any key. */
const secretPlaces = [
  ['providers', '*', 'apiKey'],
  ['providers', '*', 'headers', '*'],
  ['mcpServers', '*', 'env', '*'],
  ['mcpServers', '*', 'headers', '*'],
  ['mcpServers', '*', 'oauth', '*'],
  ['search', 'apiKey'],
  ['publish', 'bucket', 'secretAccessKey'],
  ['connections', '*', 'password'],
]

/** Takes the secrets out of a config, by their path. An address with a password is a secret as a whole. */
function splitSecrets(config: Config): { plain: Config; found: Map<string, string> } {
  const found = new Map<string, string>()
  const plain = structuredClone(config)
  walk(plain, [])
  return { plain, found }

  function walk(value: object, at: readonly string[]): void {
    for (const [key, one] of Object.entries(value)) {
      const place = [...at, key]
      if (typeof one === 'object' && one !== null) walk(one as object, place)
      else if (typeof one === 'string' && one !== '' && isSecret(place, one)) {
        found.set(place.map(encode).join('/'), one)
        // In a list the position stays.
        if (Array.isArray(value)) (value as unknown[])[Number(key)] = ''
        else delete (value as Record<string, unknown>)[key]
      }
    }
  }
}

function isSecret(place: readonly string[], text: string): boolean {
  if (/^[a-z][\w+.-]*:\/\/[^/?#\s]*@/i.test(text)) return true
  return secretPlaces.some(
    (known) => known.length === place.length && known.every((part, i) => part === '*' || part === place[i]),
  )
}

function setIn(target: object, [key = '', ...rest]: readonly string[], value: string): void {
  const at = target as Record<string, unknown>
  if (rest.length === 0) Object.defineProperty(at, key, { value, enumerable: true, writable: true, configurable: true })
  else {
    if (!Object.hasOwn(at, key) || typeof at[key] !== 'object' || at[key] === null)
      Object.defineProperty(at, key, { value: {}, enumerable: true, writable: true, configurable: true })
    setIn(at[key] as object, rest, value)
  }
}

function encode(part: string): string {
  return encodeURIComponent(part)
}

function decode(part: string): string {
  return decodeURIComponent(part)
}

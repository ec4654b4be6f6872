/** A host that a rule names, in the one spelling that URLs have. */
export interface HostPattern {
  host: string
}

/** `domain:example.com`. Throws an Error for the person. */
export function parseHostPattern(pattern: string): HostPattern {
  const named = /^domain:\s*(.*)$/is.exec(pattern)?.[1]
  if (named === undefined) throw new Error('write "domain:" and a host, such as "WebFetch(domain:example.com)".')
  const bare = named.replace(/^\*\./, '')
  if (bare.includes('*')) throw new Error('a "*" can only stand before the whole host; subdomains are meant anyway.')
  if (/[/@\s:?#\\]/.test(bare.replace(/^\[[0-9a-f:.]+\]$/i, '')))
    throw new Error(
      `"${named}" is not a host. Leave out the scheme, port, path and user, such as "domain:example.com".`,
    )
  const host = hostOf(`http://${bare}/`)
  if (host === undefined) throw new Error(`"${named}" is not a host, such as "example.com".`)
  if (!host.includes('.') && !host.startsWith('[') && host !== 'localhost')
    throw new Error(
      `"${named}" is not a whole host: every host that ends in it would be meant. Write one such as "example.com".`,
    )
  return { host }
}

/** The host itself, and every host below it; never one that only begins or ends with the same letters. */
export function matchHost({ host }: HostPattern, given: string): boolean {
  if (given === host) return true
  return given.endsWith(`.${host}`) && !/^[\d.]+$|^\[/.test(host)
}

/**
 * The host of a URL as the network will see it: lower case, international names in ASCII, no port, user or final dot.
 * Undefined for what is not a URL of http or https, or has a user in it.
 */
export function hostOf(url: string): string | undefined {
  const parsed = URL.parse(url.trim())
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return undefined
  if (parsed.username !== '' || parsed.password !== '') return undefined
  const host = parsed.hostname.replace(/\.+$/, '')
  return host === '' ? undefined : host
}

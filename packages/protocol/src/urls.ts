/** Extracts normalized web URLs from a user's text. Skips quoted lines and fenced blocks, which others wrote. */
export function extractUrls(text: string): string[] {
  let isFenced = false
  const own = text
    .slice(0, 100_000)
    .split('\n')
    .filter((line) => {
      const isFence = /^\s*(?:```|~~~)/.test(line)
      if (isFence) isFenced = !isFenced
      return !isFenced && !isFence && !/^\s*>/.test(line)
    })
  const found = own.join('\n').match(/\bhttps?:\/\/[^\s<>"'`)\]}]+/gi) ?? []
  const addresses = found.map((address) => normalizeUrl(address.replace(/[.,;:!?]+$/, '')))
  return [...new Set(addresses.filter((address) => address !== undefined))]
}

/** Returns the URL as the network sees it, without its fragment. Undefined unless it is plain http or https. */
export function normalizeUrl(address: string): string | undefined {
  const url = parseUrl(address.trim())
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  return url.href
}

/** True if both URLs reach the same server the same way, so a key for one is safe with the other. */
export function isSameOrigin(one: string | null | undefined, other: string | null | undefined): boolean {
  const [first, second] = [originOf(one), originOf(other)]
  return first === second && (first !== undefined || (one ?? '') === (other ?? ''))
}

function originOf(address: string | null | undefined): string | undefined {
  return parseUrl(address ?? '')?.origin
}

/** Like `URL.parse`, which browsers have had only since 2024. */
export function parseUrl(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined
}

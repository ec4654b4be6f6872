/**
 * The addresses of the web that stand in a text of the person, in one spelling. Quoted lines and fenced blocks are left
 * out: those are words of others.
 */
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

/** An address as the network will see it, without its fragment. Undefined for what is not plain http or https. */
export function normalizeUrl(address: string): string | undefined {
  const url = URL.parse(address.trim())
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  if (url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  return url.href
}

/** Whether what is sent to both addresses goes to one server, in one way: a key for the one is safe with the other. */
export function isSameOrigin(one: string | null | undefined, other: string | null | undefined): boolean {
  const [first, second] = [originOf(one), originOf(other)]
  return first === second && (first !== undefined || (one ?? '') === (other ?? ''))
}

function originOf(address: string | null | undefined): string | undefined {
  return URL.parse(address ?? '')?.origin
}

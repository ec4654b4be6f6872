/** A URL that may be fetched as far as its text goes. */
export function parseUrl(given: string, base?: URL): URL {
  const url = URL.parse(given, base?.href)
  const shown = given.length > 200 ? `${given.slice(0, 200)}…` : given
  if (url === null) throw new Error(`"${shown}" is not a URL. Give a whole one, such as "https://example.com/page".`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`"${shown}" cannot be fetched: only http and https are. Use Read for files.`)
  }
  if (url.username !== '' || url.password !== '')
    throw new Error('A URL with a user name or password in it is not fetched. Leave them out.')
  url.hash = ''
  return url
}

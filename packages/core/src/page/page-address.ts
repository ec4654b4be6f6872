const maxAddressLength = 2000

/**
 * The address of a page as a model or a person writes it: `https://` is added where no scheme is named, `http://` for
 * this machine. Throws what to do where it is not one of the web.
 */
export function pageAddress(given: string): URL {
  const text = given.trim()
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text
  if (text.length > maxAddressLength) throw new Error(`The address is longer than ${maxAddressLength} characters.`)
  // Parsers drop some of these, so that what is checked would not be what is opened.
  // oxlint-disable-next-line no-control-regex
  if (text === '' || text.startsWith('/') || /[\u0000-\u0020\u007f\\]/.test(text))
    throw new Error(`"${shown}" is not an address. Give one such as "https://example.com/page".`)
  const url = URL.parse(hasScheme(text) ? text : `${isHere(text) ? 'http' : 'https'}://${text}`)
  if (url !== null && url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`"${shown}" is not opened: only http and https pages are.`)
  if (url === null || url.hostname === '')
    throw new Error(`"${shown}" is not an address. Give one such as "https://example.com/page".`)
  if (url.username !== '' || url.password !== '')
    throw new Error('An address with a user name or password in it is not opened. Leave them out.')
  return url
}

/** `host:8080` has a port, `mailto:x` and `javascript:x` have a scheme. */
function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && !/^(localhost|[^:/]*\.[^:/]*):\d{1,5}(?:[/?#]|$)/i.test(text)
}

function isHere(text: string): boolean {
  return /^(?:[^:/?#]+\.)?localhost(?:[:/?#]|$)|^127\.\d{1,3}\.\d{1,3}\.\d{1,3}(?:[:/?#]|$)|^\[::1\](?:[:/?#]|$)/i.test(
    text,
  )
}

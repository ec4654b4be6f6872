/** What playwright says, in a sentence: without its log of the call, which quotes what was typed. */
export function plainError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  // oxlint-disable-next-line no-control-regex
  const line = (error.message.split('\n', 1)[0] ?? '').replace(/\u001B\[\d+m/g, '')
  const method = /^(?:page|locator|frame|keyboard|mouse|elementHandle|browser|browserContext)\.\w+: /.exec(line)?.[0]
  if (method === undefined) return error
  const text = line.slice(method.length).replace(/^Error: /, '')
  const code = /net::(ERR_\w+)/.exec(text)?.[1]
  if (code !== undefined) return new Error(`The page could not be loaded: ${netErrors[code] ?? code}.`)
  if (error.name === 'TimeoutError')
    return new Error(`It took too long: ${text} Look at the page again; something may lie over the element.`)
  if (/has been closed|crashed/.test(text))
    return new Error('The page was closed meanwhile. Open it again with BrowserSnapshot and "url".')
  return new Error(text)
}

const netErrors: Record<string, string> = {
  ERR_ABORTED: 'it was cut off, as downloads are',
  ERR_CONNECTION_REFUSED: 'nothing listens there',
  ERR_TUNNEL_CONNECTION_FAILED: 'its host cannot be reached',
  ERR_EMPTY_RESPONSE: 'its host closed the connection',
  ERR_CONNECTION_RESET: 'its host closed the connection',
  ERR_CERT_AUTHORITY_INVALID: 'its certificate cannot be trusted',
  ERR_CERT_DATE_INVALID: 'its certificate is out of date',
  ERR_CERT_COMMON_NAME_INVALID: 'its certificate is for another host',
  ERR_TOO_MANY_REDIRECTS: 'it redirects without end',
}

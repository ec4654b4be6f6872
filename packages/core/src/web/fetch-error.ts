/** What went wrong on the network, for a model. */
export function fetchError(error: unknown, url: URL): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) return error
  const text = codes[code]
  if (text !== undefined) return new Error(text.replaceAll('HOST', url.host), { cause: error })
  if (/CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)) {
    return new Error(`The certificate of ${url.host} cannot be trusted (${code}), so nothing was read.`, {
      cause: error,
    })
  }
  return new Error(`${url.href} could not be fetched: ${error.message}`, { cause: error })
}

const codes: Record<string, string> = {
  ENOTFOUND: 'The host HOST cannot be found. Check how it is spelled.',
  EAI_AGAIN: 'The name HOST cannot be looked up now: there may be no network.',
  ECONNREFUSED: 'HOST refused the connection: nothing listens there.',
  ECONNRESET: 'HOST closed the connection before the page was complete.',
  EHOSTUNREACH: 'HOST cannot be reached.',
  ENETUNREACH: 'HOST cannot be reached: there may be no network.',
  ETIMEDOUT: 'HOST did not answer.',
  ERR_STREAM_PREMATURE_CLOSE: 'HOST closed the connection before the page was complete.',
  HPE_HEADER_OVERFLOW: 'HOST sent too many headers.',
  Z_BUF_ERROR: 'HOST closed the connection before the page was complete.',
  Z_DATA_ERROR: 'HOST sent a page whose compression is damaged.',
  ERR__ERROR_FORMAT_PADDING_1: 'HOST sent a page whose compression is damaged.',
}

import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostOf, matchHost } from '../permission/rule-patterns.ts'

export interface AddressGuard {
  /** Non-public addresses to allow. Set by a program or the user, never by a model. */
  allowed?: readonly string[]
  /** Resolves host names. Called once per host. */
  resolve?(host: string): Promise<LookupAddress[]>
}

const alternativeHint =
  'Use a command such as curl, or ask the user to allow the address in Settings > General > Agent browser and open it with BrowserSnapshot.'

/**
 * Returns the reason to refuse a host by its name alone, so that no approval is needed. Does no DNS lookup, which would
 * already be a request.
 */
export async function refusalOf(hostname: string, allowed: readonly string[] = []): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isHere = /^(?:.+\.)?localhost\.?$/i.test(host)
  if (isIP(host) === 0 && !isHere) return undefined
  if (isHere && (allowed.includes('127.0.0.1') || allowed.includes('::1'))) return undefined
  const here = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  return checkedAddresses(host, { allowed, resolve: isHere ? here : undefined }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  )
}

/** Resolves a host once. Throws unless all its addresses are public. */
export async function checkedAddresses(hostname: string, { allowed, resolve }: AddressGuard): Promise<LookupAddress[]> {
  const { addressProblem } = await import('./public-address.ts')
  const host = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const addresses = family !== 0 ? [{ address: host, family }] : await (resolve ?? lookupAll)(host)
  if (addresses.length === 0) throw new Error(`The host ${host} has no address.`)
  for (const { address } of addresses) {
    const problem = allowed?.includes(address) === true ? undefined : addressProblem(address)
    if (problem === undefined) continue
    const leads = address === host ? host : `${host} resolves to ${address}, which`
    throw new Error(`${leads} is not on the public web (${problem}), so it was not fetched. ${alternativeHint}`)
  }
  return addresses
}

function lookupAll(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true, order: 'verbatim' })
}

export function parseUrl(given: string, base?: URL): URL {
  const url = URL.parse(given, base?.href)
  const shown = given.length > 200 ? `${given.slice(0, 200)}…` : given
  if (url === null) throw new Error(`"${shown}" is not a URL. Give a complete one, such as "https://example.com/page".`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new Error(`"${shown}" cannot be fetched. Only http and https URLs are supported. Use Read for files.`)
  }
  if (url.username !== '' || url.password !== '')
    throw new Error('URLs that contain a user name or password cannot be fetched. Remove them.')
  url.hash = ''
  return url
}

/** True if a redirect stays on the approved host. Another host needs its own approval. */
export function isSameHost(from: URL, to: URL): boolean {
  const [before, after] = [hostOf(from.href), hostOf(to.href)]
  if (before === undefined || after === undefined) return false
  return matchHost({ host: before.replace(/^www\./, '') }, after)
}

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
  ENOTFOUND: 'The host HOST was not found. Check the spelling.',
  EAI_AGAIN: 'The host HOST could not be resolved. There may be no network.',
  ECONNREFUSED: 'HOST refused the connection. No server is listening there.',
  ECONNRESET: 'HOST closed the connection before the page was complete.',
  EHOSTUNREACH: 'HOST cannot be reached.',
  ENETUNREACH: 'HOST cannot be reached. There may be no network.',
  ETIMEDOUT: 'HOST did not answer.',
  ERR_STREAM_PREMATURE_CLOSE: 'HOST closed the connection before the page was complete.',
  HPE_HEADER_OVERFLOW: 'HOST sent too many headers.',
  Z_BUF_ERROR: 'HOST closed the connection before the page was complete.',
  Z_DATA_ERROR: 'HOST sent damaged compressed data.',
  ERR__ERROR_FORMAT_PADDING_1: 'HOST sent damaged compressed data.',
}

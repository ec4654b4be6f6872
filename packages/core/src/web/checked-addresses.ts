import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

export interface AddressGuard {
  /** Addresses that are let through although they are not public. Given by a program or the person, never by a model. */
  allowed?: readonly string[]
  /** How names become addresses. Asked once for each host that is connected to. */
  resolve?(host: string): Promise<LookupAddress[]>
}

const alternativeHint =
  'Use a command such as curl, or have the person allow the address in Settings > General > Browser of agents and open it with BrowserSnapshot.'

/**
 * Why a host would be refused, where its name alone tells: nobody need be asked about it then. Nothing is looked up,
 * since that would be a request already.
 */
export async function refusalOf(hostname: string, allowed: readonly string[] = []): Promise<string | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isHere = /^(?:.+\.)?localhost\.?$/i.test(host)
  if (isIP(host) === 0 && !isHere) return undefined
  if (isHere && (allowed.includes('127.0.0.1') || allowed.includes('::1'))) return undefined
  const here = { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) }
  return checkedAddresses(host, { allowed, ...(isHere && here) }).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  )
}

/** The addresses of a host, looked up once. Throws unless every one of them is of the public web. */
export async function checkedAddresses(hostname: string, { allowed, resolve }: AddressGuard): Promise<LookupAddress[]> {
  const { addressProblem } = await import('./public-address.ts')
  const host = hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  const addresses = family !== 0 ? [{ address: host, family }] : await (resolve ?? lookupAll)(host)
  if (addresses.length === 0) throw new Error(`The host ${host} has no address.`)
  for (const { address } of addresses) {
    const problem = allowed?.includes(address) === true ? undefined : addressProblem(address)
    if (problem === undefined) continue
    const leads = address === host ? host : `${host} leads to ${address}, which`
    throw new Error(`${leads} is not on the public web (${problem}), so it is not fetched. ${alternativeHint}`)
  }
  return addresses
}

function lookupAll(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true, order: 'verbatim' })
}

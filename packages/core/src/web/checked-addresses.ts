import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

export interface AddressGuard {
  /** Addresses that are let through although they are not public. Given by a program or the person, never by a model. */
  allowed?: readonly string[]
  /** How names become addresses. Asked once for each host that is connected to. */
  resolve?(host: string): Promise<LookupAddress[]>
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
    throw new Error(
      `${leads} is not on the public web (${problem}), so it is not fetched. For servers of this machine or network use a command such as curl.`,
    )
  }
  return addresses
}

function lookupAll(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true, order: 'verbatim' })
}

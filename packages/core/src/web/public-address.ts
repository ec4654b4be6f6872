import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Returns the reason an address is not on the public internet, or undefined. */
export function addressProblem(address: string): string | undefined {
  const family = isIP(address)
  if (family === 0) return 'not an address'
  // Normalize first, because ipaddr.js misreads `::8.8.8.8`.
  const hostname = family === 6 ? URL.parse(`http://[${address.replace(/%.*$/, '')}]`)?.hostname : address
  if (hostname === undefined) return 'not an address'
  const parsed = embeddedAddress(ipaddr.parse(hostname.replace(/^\[|\]$/g, '')))
  const range = parsed.range()
  if (range !== 'unicast') return rangeNames[range] ?? range
  if (internalAddresses.has(parsed.toString())) return "a provider's internal network"
  // All addresses assigned so far. Others include forms that hide an IPv4 address.
  if (parsed.kind() === 'ipv6' && !parsed.match(ipaddr.parse('2000::'), 3)) return 'reserved'
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return own.some((one) => one.address === address) ? 'this machine' : undefined
}

/** Unwraps an IPv4 address in an IPv6 one, mapped or translated by the network, to judge the real target. */
function embeddedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  const isTranslated = address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)
  if (!address.isIPv4MappedAddress() && !isTranslated) return address
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

/** Public by number, but answered by the host machine: Azure's host service. */
const internalAddresses = new Set(['168.63.129.16'])

const rangeNames: Record<string, string> = {
  private: 'a private network',
  uniqueLocal: 'a private network',
  loopback: 'this machine',
  linkLocal: 'a link-local address',
  carrierGradeNat: "a provider's internal network",
  unspecified: 'not a usable address',
}

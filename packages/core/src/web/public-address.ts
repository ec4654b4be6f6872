import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

/** Why an address is not one of the public internet, in words; undefined when it is one. */
export function addressProblem(address: string): string | undefined {
  const family = isIP(address)
  if (family === 0) return 'not an address'
  // Written out in one way first: `::8.8.8.8` is not what ipaddr.js takes it for.
  const hostname = family === 6 ? URL.parse(`http://[${address.replace(/%.*$/, '')}]`)?.hostname : address
  if (hostname === undefined) return 'not an address'
  const parsed = embeddedAddress(ipaddr.parse(hostname.replace(/^\[|\]$/g, '')))
  const range = parsed.range()
  if (range !== 'unicast') return rangeNames[range] ?? range
  if (internalAddresses.has(parsed.toString())) return "a provider's inner network"
  // All that is handed out so far; outside of it lie forms that hide an IPv4 address.
  if (parsed.kind() === 'ipv6' && !parsed.match(ipaddr.parse('2000::'), 3)) return 'reserved'
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return own.some((one) => one.address === address) ? 'an address of this machine' : undefined
}

/** An IPv4 address written as an IPv6 one is judged as what is reached: mapped, or translated by the network. */
function embeddedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  const isTranslated = address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)
  if (!address.isIPv4MappedAddress() && !isTranslated) return address
  return new ipaddr.IPv4(address.toByteArray().slice(-4))
}

/** Public by its number, but answered by the machine below: Azure's host service. */
const internalAddresses = new Set(['168.63.129.16'])

const rangeNames: Record<string, string> = {
  private: 'a private network',
  uniqueLocal: 'a private network',
  loopback: 'this machine',
  linkLocal: 'the local link',
  carrierGradeNat: "a provider's inner network",
  unspecified: 'no address at all',
}

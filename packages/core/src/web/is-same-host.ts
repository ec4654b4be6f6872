import { hostOf, matchHost } from '../permission/host-pattern.ts'

/** Whether a redirect stays where it was allowed to go: permission is given for a host, and another one is asked for. */
export function isSameHost(from: URL, to: URL): boolean {
  const [before, after] = [hostOf(from.href), hostOf(to.href)]
  if (before === undefined || after === undefined) return false
  return matchHost({ host: before.replace(/^www\./, '') }, after)
}

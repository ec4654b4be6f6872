/** Of addresses such as `127.0.0.1`, `127.0.0.1:5173`, `[::1]:5173` and `localhost:5173` those that hold for a port. */
export function addressesAllowedOn(entries: readonly string[], port: number): string[] {
  return entries.flatMap((entry) => {
    const [, bracketed, plain, given] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry.trim()) ?? []
    if (given !== undefined && Number(given) !== port) return []
    const address = bracketed ?? plain ?? entry.trim()
    return address === 'localhost' ? ['127.0.0.1', '::1'] : [address]
  })
}

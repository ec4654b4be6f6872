/** Whether what is sent to both addresses goes to one server, in one way: a key for the one is safe with the other. */
export function isSameOrigin(one: string | null | undefined, other: string | null | undefined): boolean {
  const [first, second] = [originOf(one), originOf(other)]
  return first === second && (first !== undefined || (one ?? '') === (other ?? ''))
}

function originOf(address: string | null | undefined): string | undefined {
  return URL.parse(address ?? '')?.origin
}

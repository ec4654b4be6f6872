/** The longest that a provider's Retry-After is obeyed; beyond it the person decides. */
export const maxRetryAfterMs = 60_000

/** How long to wait before try number `attempt + 1`, or undefined when the provider asks for more than our patience. */
export function retryDelay(attempt: number, retryAfterMs?: number): number | undefined {
  if (retryAfterMs !== undefined) return retryAfterMs <= maxRetryAfterMs ? retryAfterMs : undefined
  const backOff = Math.min(500 * 2 ** (attempt - 1), 8_000)
  return Math.round(backOff * (0.75 + Math.random() * 0.5))
}

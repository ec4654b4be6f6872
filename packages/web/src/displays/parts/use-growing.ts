import { useState } from 'react'

/** How many entries of a long list are shown: few at first, many more with every step. */
export function useShowMore(
  total: number,
  first: number,
  step = 1000,
): { shown: number; left: number; grow: () => void } {
  const [wanted, setWanted] = useState(first)
  // A list that is only a little longer is shown whole.
  const shown = total <= wanted + first / 4 ? total : wanted
  return { shown, left: total - shown, grow: () => setWanted(shown + step) }
}

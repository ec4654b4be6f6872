/** One more or one less; with an order, everything from the last that was picked to this one. */
export function extendSelection(picked: string[], id: string, order: string[]): string[] {
  const from = order.indexOf(picked.at(-1) ?? '')
  const to = order.indexOf(id)
  if (from === -1 || to === -1) return picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id]
  const between = order.slice(Math.min(from, to), Math.max(from, to) + 1).filter((one) => one !== id)
  return [...new Set([...picked.filter((one) => one !== id), ...between, id])]
}

/** Writes page numbers compactly: `1-3, 7`. With `count`, the pages up to the last one are written as `12-`. */
export function formatPages(numbers: readonly number[], count?: number): string {
  const parts: string[] = []
  for (let index = 0; index < numbers.length; index++) {
    const first = numbers[index] as number
    while (numbers[index + 1] === (numbers[index] as number) + 1) index++
    const last = numbers[index] as number
    if (last === count && last > first) parts.push(`${first}-`)
    else parts.push(first === last ? String(first) : `${first}-${last}`)
  }
  return parts.join(count === undefined ? ', ' : ',')
}

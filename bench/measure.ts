export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}

export async function rounds(count: number, work: () => Promise<number>): Promise<number> {
  const values: number[] = []
  for (let i = 0; i < count; i++) values.push(await work())
  return median(values)
}

export const times = (ratio: number): string => `${ratio.toFixed(2)}x`
export const micros = (value: number): string => `${value.toFixed(1)} µs`

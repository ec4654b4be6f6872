/**
 * Names the thoughts of an answer for `Metadata.reasoningMs`, in the order in which they come; the first step is 1.
 * Providers use the ids of their parts again in every step, and some of them within one.
 */
export function createReasoningNamer(): (step: number, partId: string) => string {
  const times = new Map<string, number>()
  return (step, partId) => {
    const name = `${step}:${partId}`
    const time = (times.get(name) ?? 0) + 1
    times.set(name, time)
    return time === 1 ? name : `${name}:${time}`
  }
}

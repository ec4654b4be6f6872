/** From the last to the first, all of them, also where one fails; what failed is thrown at the end. */
export async function closeAll(closers: (() => unknown)[]): Promise<void> {
  const errors: unknown[] = []
  for (const close of closers.splice(0).toReversed()) {
    try {
      await close()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0)
    throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'Not everything was closed.')
}

export const published: readonly string[]

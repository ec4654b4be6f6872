export const published: readonly string[]
export function buildPackages(node: string, names?: readonly string[]): Promise<void>

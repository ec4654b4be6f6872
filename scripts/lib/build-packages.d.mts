export const published: readonly string[]
export function buildPackages(
  node: string,
  names?: readonly string[],
  options?: { env?: NodeJS.ProcessEnv; flags?: readonly string[] },
): Promise<void>

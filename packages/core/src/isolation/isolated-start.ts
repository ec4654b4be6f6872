import type { Confined, ConfinedStart, Isolation } from '../tool/isolation.ts'

/** Returns how to start a program: in its owner's sandbox in team mode, unchanged for a single user. */
export async function isolatedStart(isolation: Isolation | undefined, start: ConfinedStart): Promise<Confined> {
  if (isolation !== undefined) return isolation.sandbox.wrap(start)
  const { argv, env, cwd } = start
  const [file = '', ...args] = argv
  return { file, args, env: { ...env }, cwd, holdsOutput: false, release: () => undefined }
}

import { realpathSync } from 'node:fs'
import { isInside } from '@troupe/core'

/**
 * Whether a real path lies in our home, outside of the folders there that are open to a session: the token, keys and what
 * others said lie there, and no page is shown them, also where the home lies in the workspace.
 */
export function isPrivateToHome(real: string, homePath: string, open: readonly string[]): boolean {
  const home = realpathSync(homePath)
  if (!isInside(real, home)) return false
  return !open.some((folder) => folder !== home && isInside(folder, home) && isInside(real, folder))
}

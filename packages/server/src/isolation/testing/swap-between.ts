import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Checks a path in a folder of `own`, replaces the folder by a symlink to `foreign`, then uses the path. Returns what was
 * seen there, or the reason it could not be used.
 */
export function swapBetween(
  own: string,
  foreign: string,
  check: (place: string) => { use(): unknown; seen(): string },
): string {
  const place = path.join(own, 'swapped')
  mkdirSync(place)
  writeFileSync(path.join(place, 'secret'), 'own')
  const { use, seen } = check(place)
  renameSync(place, `${place}-before`)
  symlinkSync(foreign, place)
  try {
    use()
    return `used: ${seen()}`
  } catch (error) {
    return `refused: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`
  } finally {
    rmSync(place)
    rmSync(`${place}-before`, { recursive: true })
  }
}

import { lstatSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '../files/resolve-path.ts'
import { protectedPaths, type ProtectedPaths } from './protected-places.ts'

/** Beyond so many folders it would take too long to start; what lies deeper can be moved, and is found again there. */
const maxPinned = 100

/**
 * What is kept as it is in the folders that are worked in. As long as a command runs that may write a folder, the next
 * ones keep what that one keeps: whatever else has come to be since may be of its making, and could be a link to
 * anywhere by the time it is mounted.
 */
export class ProtectedPathCache {
  private readonly running = new Map<string, { count: number; places: ProtectedPaths }>()

  /** To be followed by `leave`. */
  enter(root: string, home: string, secrets: readonly string[]): ProtectedPaths {
    const known = this.running.get(root) ?? { count: 0, places: readProtectedPlaces(root, home, secrets) }
    known.count++
    this.running.set(root, known)
    const { fixed, pinned, ...places } = known.places
    return { ...places, fixed: fixed.filter(isThere), pinned: pinned.filter(isThere) }
  }

  leave(root: string): void {
    const known = this.running.get(root)
    if (known !== undefined && --known.count === 0) this.running.delete(root)
  }
}

function readProtectedPlaces(root: string, home: string, secrets: readonly string[]): ProtectedPaths {
  const places = protectedPaths(root, home)
  const inside = secrets.filter((place) => place !== root && isInside(place, root))
  const pinned = new Set([...places.pinned, ...inside.flatMap((place) => foldersBetween(root, place))])
  return { ...places, pinned: [...pinned].slice(0, maxPinned) }
}

/** A folder with a secret in it must not be moved to where nobody looks for it. */
function foldersBetween(root: string, place: string): string[] {
  const folder = path.dirname(place)
  return folder === root ? [] : [...foldersBetween(root, folder), folder]
}

/** A link may lead anywhere by the time that it is followed. */
function isThere(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === false
}

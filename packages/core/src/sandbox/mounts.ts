import path from 'node:path'
import { isInside } from '../files/resolve-path.ts'

/** What stands at a path inside the sandbox. */
export type Mount =
  /** The same as outside, or as what is elsewhere outside, for reading. */
  | { how: 'read'; from?: string }
  /** The same, for reading and writing. */
  | { how: 'write'; from?: string }
  /** A new folder in memory, which can be written. */
  | { how: 'memory'; megabytes: number }
  /** Something that can be neither read nor written. */
  | { how: 'hidden'; folder: boolean }
  | { how: 'link'; target: string }

/** What is to stand where. Everything that is not named, or in something that is, does not exist inside. */
export class Mounts {
  private readonly byPath: Map<string, Mount>

  constructor(from?: Mounts) {
    this.byPath = new Map(from?.byPath)
  }

  set(where: string, mount: Mount): void {
    this.byPath.set(where, mount)
  }

  /** Makes it readable unless it can be seen already. */
  show(where: string): void {
    if (!this.isSeen(where)) this.set(where, { how: 'read' })
  }

  /** Whether what is there outside can be seen inside. */
  isSeen(where: string): boolean {
    const mount = this.around(where)
    return (mount?.how === 'read' || mount?.how === 'write') && mount.from === undefined
  }

  /** Whether it is seen as it is, or as a list of what is there. */
  isShown(where: string): boolean {
    const how = this.around(where)?.how
    return how === 'read' || how === 'write'
  }

  /** Whether what is there outside can be changed from inside. */
  isWritable(where: string): boolean {
    const mount = this.around(where)
    return mount?.how === 'write' && mount.from === undefined
  }

  /** Forgets what can be read in a folder, which is about to be shown itself. */
  forgetIn(folder: string): void {
    for (const [where, { how }] of this.byPath)
      if (how === 'read' && where !== folder && isInside(where, folder)) this.byPath.delete(where)
  }

  private around(where: string): Mount | undefined {
    for (let folder = where; ; folder = path.dirname(folder)) {
      const mount = this.byPath.get(folder)
      if (mount !== undefined || folder === path.dirname(folder)) return mount
    }
  }

  /** Whether it is a new folder in memory. */
  isMade(where: string): boolean {
    return this.byPath.get(where)?.how === 'memory'
  }

  /** Folders come before what is in them. */
  list(): [path: string, mount: Mount][] {
    return [...this.byPath].toSorted(([a], [b]) => (a < b ? -1 : 1))
  }
}

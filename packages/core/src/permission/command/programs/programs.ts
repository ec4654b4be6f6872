import { filePrograms } from './file-programs.ts'
import { git } from './git.ts'
import type { Program } from './program.ts'
import { scriptPrograms } from './script-programs.ts'
import { shellPrograms } from './shell-programs.ts'
import { textPrograms } from './text-programs.ts'

/** Programs that can be known to only look, by their arguments. To add one is one entry in the file of its family. */
export const programs: ReadonlyMap<string, Program> = new Map(
  Object.entries({ ...textPrograms, ...filePrograms, ...shellPrograms, ...scriptPrograms, git }),
)

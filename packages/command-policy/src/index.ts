export { analyzeCommand } from './analyze-command.ts'
export type { CommandAnalysis, FileUse, FoundCommand, FoundRedirection } from './command-analysis.ts'
export { type CommandWrites, commandWrites, isQuietGit, mayShowGitHistory, mayUseUnnamed } from './command-files.ts'
export {
  type CommandMatch,
  type CommandPattern,
  allowsCommand,
  matchCommand,
  matchWidely,
  parseCommandPattern,
  programNames,
  rememberablePrefix,
} from './command-pattern.ts'
export { isDangerousName } from './environment-variables.ts'
export { isPlainRepository, trackedFiles } from './git-repository.ts'
export { createProgramLookup } from './program-lookup.ts'
export {
  guardedPlaces,
  isSecretName,
  protectedIn,
  secretFiles,
  secretFolders,
  secretIn,
  strictPlaces,
} from './sensitive-paths.ts'

import { existsSync } from 'node:fs'
import path from 'node:path'
import { findProgram, isInside, isProgram, loadFolderSync } from '@troupe/core'

/** Definition of a language server. Each is one file in `servers/`, and the file name is its name. */
export interface LanguageServerDefinition {
  /** Shown to people, such as `TypeScript`. */
  title: string
  /** Language ID of the protocol, by file extension. */
  languages: Readonly<Record<string, string>>
  /** Files that mark the root of a project. The nearest folder with one is served, else the whole workspace. */
  rootMarkers: readonly string[]
  /** Returns the program on this machine or in the project. Undefined if there is none. */
  find(place: ServerPlace): LaunchCommand | undefined
  /** Answers to `workspace/configuration`, by section. */
  settings?: Readonly<Record<string, unknown>>
  initializationOptions?: unknown
}

export interface ServerPlace {
  /** Root of the project to serve. */
  root: string
  workspace: string
  env: NodeJS.ProcessEnv
}

export interface LaunchCommand {
  command: string
  args: readonly string[]
}

/** Finds a program among those that the project installed, then on the machine. */
export function findCommand(
  { root, workspace, env }: ServerPlace,
  name: string,
  { args = [], folders = ['node_modules/.bin'] }: { args?: readonly string[]; folders?: readonly string[] } = {},
): LaunchCommand | undefined {
  const own = foldersUp(root, workspace)
    .flatMap((folder) => folders.map((below) => path.join(folder, below, name)))
    .find(isProgram)
  const command = own ?? findProgram(name, env)
  return command === undefined ? undefined : { command, args }
}

/** The folder of the file's project: the nearest with a marker, else the workspace. */
export function findRoot(file: string, workspace: string, markers: readonly string[]): string {
  const above = foldersUp(path.dirname(file), workspace)
  return above.find((folder) => markers.some((marker) => existsSync(path.join(folder, marker)))) ?? workspace
}

/** From a folder up to the workspace. */
export function foldersUp(from: string, workspace: string): string[] {
  const folders: string[] = []
  for (let folder = from; isInside(folder, workspace); folder = path.dirname(folder)) {
    folders.push(folder)
    if (folder === workspace) break
  }
  return folders
}

export function loadDefinitions(onProblem: (message: string) => void): Map<string, LanguageServerDefinition> {
  const folder = path.join(import.meta.dirname, 'servers')
  const loaded = loadFolderSync(folder, (value) => value as LanguageServerDefinition)
  for (const { path: file, message } of loaded.problems) onProblem(`language server file ${file}: ${message}`)
  return new Map(loaded.entries.map(({ name, value }) => [name, value]))
}

/** Titles of the language servers that a folder would use. */
export function foundServers(folder: string, env: NodeJS.ProcessEnv): string[] {
  const definitions = [...loadDefinitions(() => undefined).values()]
  return definitions
    .filter((one) => one.find({ root: folder, workspace: folder, env }) !== undefined)
    .map(({ title }) => title)
}

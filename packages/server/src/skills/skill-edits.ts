import { lstatSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { FileFault, parseSkillFile, skillNamePattern, type Workspace } from '@troupe/core'
import { type NewSkill, NamedError, type SkillText } from '@troupe/protocol'
import type { ConfigFile } from '../config/config.ts'
import { fileNotEditable, readTextFile, writeTextFile } from '../config/text-file.ts'
import type { SkillRegistry } from './skill-registry.ts'

/** Creates, edits, disables and deletes skills of the home and of a folder that the user trusts. */
export interface SkillEdits {
  /** Throws `BadSkill` (422), `SkillExists` (409) and `FolderNotTrusted` (403). Returns the path of its file. */
  create(workspace: Workspace, skill: NewSkill): Promise<string>
  read(workspace: Workspace, file: string): Promise<SkillText>
  /** Throws `BadSkill` (422) with the line, and `FileChanged` (409). */
  write(workspace: Workspace, file: string, text: string, version: string): Promise<SkillText>
  enable(name: string, enabled: boolean): Promise<void>
  /** Deletes the whole folder of the skill. */
  remove(workspace: Workspace, file: string): Promise<void>
}

export function createSkillEdits(options: {
  home: { path: string }
  config: Pick<ConfigFile, 'update'>
  skills: SkillRegistry
}): SkillEdits {
  const { home, config, skills } = options
  return {
    async create(workspace, { name, scope, description, instructions }) {
      if (!skillNamePattern.test(name) || name.length > 64)
        throw badSkill('Use at most 64 of a-z, 0-9 and single "-" between them as the name of a skill.')
      if (scope === 'project' && !workspace.trusted)
        throw new NamedError('FolderNotTrusted', 'This folder is not trusted. Trust it before you add skills to it.', {
          status: 403,
        })
      const { skills: known } = await skills.of(workspace)
      const root = scope === 'home' ? home.path : workspace.path
      const folder = scope === 'home' ? path.join(home.path, 'skills') : path.join(workspace.path, '.agents', 'skills')
      const file = path.join(folder, name, 'SKILL.md')
      const { version, exists } = readTextFile(file, root)
      if (exists || known.some((skill) => skill.name === name))
        throw new NamedError('SkillExists', `A skill named "${name}" already exists.`, { status: 409 })
      // A JSON string is also a YAML string.
      const text = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${instructions.trim()}\n`
      check(text, file)
      writeTextFile(file, text, { root, version })
      return file
    },
    async read(workspace, file) {
      return shown(await known(workspace, file))
    },
    async write(workspace, file, text, version) {
      const root = rootOf(await known(workspace, file))
      check(text, file)
      writeTextFile(file, text, { root, version })
      return shown(file)
    },
    async enable(name, enabled) {
      await config.update(({ disabledSkills = [], ...rest }) => {
        const others = disabledSkills.filter((one) => one !== name)
        const off = enabled ? others : [...others, name]
        return off.length === 0 ? rest : { ...rest, disabledSkills: off }
      })
    },
    async remove(workspace, file) {
      const folder = path.dirname(await known(workspace, file))
      if (
        lstatSync(folder).isSymbolicLink() ||
        realpathSync(folder) !== path.join(realpathSync(path.dirname(folder)), path.basename(folder))
      )
        throw fileNotEditable(folder, 'it is a link to a file outside of its folder')
      rmSync(folder, { recursive: true })
    },
  }

  /** Only files that are listed can be read or changed here, also those that are not valid. */
  async function known(workspace: Workspace, file: string): Promise<string> {
    const found = await skills.list(workspace)
    const files = [
      ...found.skills.flatMap((skill) => [skill.path, ...skill.shadows]),
      ...found.problems.map((one) => one.path),
    ]
    if (files.includes(file) && path.basename(file) === 'SKILL.md') return file
    throw new NamedError('SkillNotFound', 'There is no such skill here.', { status: 404 })
  }
}

/** The folder of all skills, so that a skill that is a link is not changed through it. */
function rootOf(file: string): string {
  return path.dirname(path.dirname(file))
}

function shown(file: string): SkillText {
  const { text, version } = readTextFile(file, rootOf(file))
  return { path: file, text, version }
}

function check(text: string, file: string): void {
  try {
    parseSkillFile(text, path.basename(path.dirname(file)))
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    const { line } = error
    throw badSkill(`The skill is invalid${line === undefined ? '' : ` in line ${line}`}: ${error.message}.`, line)
  }
}

function badSkill(message: string, line?: number): NamedError {
  return new NamedError('BadSkill', message, { status: 422, data: { line } })
}

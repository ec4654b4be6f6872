import path from 'node:path'
import { count } from '@troupe/server/count'
import { type CommandContext, defineCommand, printNotice, UsageError } from '../shared/command.ts'
import { connect } from '../shared/connect.ts'

/** `troupe skills [list]`, `troupe skills import <folder, zip or tar> [--trust]`. */
export const command = defineCommand({
  options: {
    json: { type: 'boolean', default: false },
    trust: { type: 'boolean', default: false },
    workspace: { type: 'string' },
  },
  async run({ values, positionals }, context) {
    const [verb = 'list', source, ...more] = positionals
    if (verb === 'import' && source !== undefined && more.length === 0) {
      return importSkills(path.resolve(context.cwd, source), values.trust === true, context)
    }
    if (verb !== 'list' || source !== undefined)
      throw new UsageError('expected: troupe skills [list], or troupe skills import <folder|zip|tar> [--trust]')
    return listSkills(context, { json: values.json === true, workspace: values.workspace as string | undefined })
  },
})

async function listSkills(
  context: CommandContext,
  { json, workspace }: { json: boolean; workspace: string | undefined },
): Promise<number> {
  const connection = await connect(context, workspace === undefined ? {} : { workspace })
  try {
    const found = await connection.call('GET /ai/skills')
    if (json) {
      context.stdout.write(`${JSON.stringify(found)}\n`)
      return 0
    }
    for (const { name, description, path: file, scope, allowedTools, shadows } of found.skills) {
      context.stdout.write(`${name}: ${description}\n  ${scope}, ${file}\n`)
      if (allowedTools !== undefined)
        context.stdout.write(`  allowed without approval: ${allowedTools.join(', ') || 'reading'}\n`)
      for (const other of shadows) context.stdout.write(`  overrides ${other}\n`)
    }
    for (const { path: file, line, message } of found.problems)
      printNotice(context, `${file}${line === undefined ? '' : `, line ${line}`}: ${message}`)
    context.stdout.write(`${count(found.skills.length, 'skill')}, ${count(found.problems.length, 'problem')}\n`)
    return 0
  } finally {
    await connection.close()
  }
}

async function importSkills(source: string, trust: boolean, context: CommandContext): Promise<number> {
  const [{ acceptSkills, dropStaged, stageSkills }, { openHome }] = await Promise.all([
    import('@troupe/core'),
    import('@troupe/server/home'),
  ])
  const home = openHome({ env: context.env }).path
  const staged = stageSkills(source, path.join(home, 'imports'), path.join(home, 'skills'))
  try {
    for (const { path: file, message } of staged.problems) printNotice(context, `${file}: ${message}`)
    for (const { name, description, allowedTools, files } of staged.skills) {
      context.stdout.write(`${name}: ${description}\n`)
      if (allowedTools !== undefined)
        context.stdout.write(`  allowed without approval: ${allowedTools.join(', ') || 'reading'}\n`)
      for (const file of files)
        context.stdout.write(`  ${file.name} (${file.size} bytes${file.executable ? ', executable' : ''})\n`)
    }
    if (staged.skills.length === 0) return 1
    if (!trust) {
      context.stdout.write('Nothing has been imported yet. If you trust these skills, run this again with --trust.\n')
      return 0
    }
    for (const folder of acceptSkills(staged, path.join(home, 'skills')))
      context.stdout.write(`imported to ${folder}\n`)
    context.stdout.write(`${count(staged.skills.length, 'skill')}, ${count(staged.problems.length, 'problem')}\n`)
    return 0
  } finally {
    dropStaged(staged)
  }
}

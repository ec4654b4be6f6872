import { statSync } from 'node:fs'
import path from 'node:path'
import { defineCommand, UsageError } from '../shared/command.ts'
import { connect } from '../shared/connect.ts'

const projectExtensions =
  'tools, agents, rules and hooks in its .troupe, its skills, commands and notes for agents, and MCP servers once you trust each'

/** `troupe trust [folder] [--off]`: sets if the configuration a folder provides takes effect. */
export const command = defineCommand({
  options: { off: { type: 'boolean', default: false }, workspace: { type: 'string' } },
  async run({ values, positionals }, context) {
    const [given = values.workspace, ...more] = positionals
    if (more.length > 0 || (positionals.length > 0 && values.workspace !== undefined))
      throw new UsageError('expected: troupe trust [folder] [--off]')
    const workspace = path.resolve(context.cwd, given ?? '.')
    if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${workspace} is not a folder`)
    const connection = await connect(context, { workspace })
    try {
      await connection.call('PATCH /ai/workspace', { body: { trusted: !values.off } })
      context.stdout.write(
        values.off
          ? `${workspace} is not trusted. These have no effect: ${projectExtensions}.\n`
          : `${workspace} is trusted. These take effect: ${projectExtensions}. Run "troupe trust --off" to undo.\n`,
      )
      const { rules } = await connection.call('GET /ai/rules')
      for (const { effect, text, layer, editable } of rules)
        if (layer === 'project' && !editable) context.stdout.write(`  its rule: ${effect} ${text}\n`)
      const { problems } = await connection.call('GET /ai/tools')
      for (const problem of problems) connection.problems.report(problem)
      return 0
    } finally {
      await connection.close()
    }
  },
})

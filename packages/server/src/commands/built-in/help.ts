import type { BuiltInCommand } from './command.ts'

export const help: BuiltInCommand = {
  name: 'help',
  about: 'List the available commands and skills.',
  async run({ workspace, session }, context) {
    const { commands } = context.ownCommands(workspace)
    const { skills } = await context.skills.of(workspace, session)
    const lines = [
      '**Commands**, at the start of a message:',
      '',
      ...context.builtIns.map(({ name, aliases = [], argument, about }) => {
        const others = aliases.map((alias) => ` (or \`/${alias}\`)`).join('')
        return `- \`/${name}${argument === undefined ? '' : ` ${argument}`}\`${others}: ${about}`
      }),
      ...commands.map(({ name, argumentHint, description }) => {
        return `- \`/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}\`: ${description}`
      }),
    ]
    if (skills.length > 0) {
      const shown = skills.slice(0, 50)
      lines.push('', '**Skills**, anywhere in a message:', '')
      lines.push(...shown.map(({ name, description }) => `- \`/skill/${name}\`: ${description.slice(0, 200)}`))
      if (skills.length > shown.length) lines.push(`- and ${skills.length - shown.length} more`)
    }
    lines.push('', '`@path`, `@path:10-20`, `@folder` and `@agent` add files, folders and agents to a message.')
    return { text: lines.join('\n') }
  },
}

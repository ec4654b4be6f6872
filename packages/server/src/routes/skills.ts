import { NamedError, type Store, type Workspace } from '@troupe/core'
import { z } from 'zod'
import type { AgentRegistry } from '../agent-book.ts'
import { builtIns } from '../commands/built-ins.ts'
import type { UsableCommands } from '../commands/command.ts'
import { createCompleter } from '../commands/complete.ts'
import type { ExpandMessage } from '../commands/take-message.ts'
import type { Mcp } from '../mcp/open-mcp.ts'
import { route, type Route } from '../route.ts'
import type { SkillRegistry } from '../skills/skill-book.ts'

/** As long as somebody waits for a list while typing. */
const completePromptsMs = 3000

export function commandRoutes(options: {
  store: Store
  skillBook: SkillRegistry
  agentBook: AgentRegistry
  ownCommands(workspace: Workspace): UsableCommands
  takeMessage: ExpandMessage
  mcp: Pick<Mcp, 'of'>
}): Route[] {
  const { store } = options
  const workspaceOf = async (id: string): Promise<Workspace> => (await store.workspaces.get(id)) as Workspace
  const complete = createCompleter({
    skills: (workspace) => options.skillBook.of(workspace),
    ownCommands: (workspace) => options.ownCommands(workspace),
    promptsReady: (workspace) => options.mcp.of(workspace).complete(completePromptsMs),
    agents: async (workspace) =>
      (await options.agentBook.offered(workspace, {})).filter(({ hidden }) => hidden !== true),
  })
  return [
    route({
      method: 'GET',
      path: '/ai/skills',
      summary: 'Every skill, which others it stands before, and the files that are none with line and reason.',
      scoped: true,
      answers: {
        200: '{skills: [{name, description, path, folder, scope, allowedTools?, shadows, …}], problems: [{path, line?, message}]}',
      },
      async handle(c, { workspaceId }) {
        return c.json(await options.skillBook.of(await workspaceOf(workspaceId)))
      },
    }),
    route({
      method: 'GET',
      path: '/ai/commands',
      summary: "Every command: ours, the person's own, those of a trusted folder, and prompts of MCP servers.",
      scoped: true,
      answers: { 200: '{commands: [{name, description, argument?, aliases?, scope, path?, …}], problems}' },
      async handle(c, { workspaceId }) {
        const own = options.ownCommands(await workspaceOf(workspaceId))
        const ours = builtIns.map(({ name, aliases, argument, about }) => ({
          name,
          description: about,
          scope: 'built-in',
          ...(argument !== undefined && { argument }),
          ...(aliases !== undefined && { aliases }),
        }))
        const theirs = own.commands.map(({ argumentHint, ...command }) => ({
          ...command,
          ...(argumentHint !== undefined && { argument: argumentHint }),
        }))
        return c.json({ commands: [...ours, ...theirs], problems: own.problems })
      },
    }),
    route({
      method: 'POST',
      path: '/ai/commands/:name',
      summary: "What a command of the person's own stands for, with what follows its name; nothing is sent.",
      body: z.strictObject({ rest: z.string().max(200_000).default('') }),
      scoped: true,
      answers: { 200: '{parts}', 404: 'CommandNotFound', 422: 'CommandUnreadable, CommandArguments', 502: 'McpFailed' },
      async handle(c, { params, body, workspaceId }) {
        const name = params['name'] as string
        const { commands } = options.ownCommands(await workspaceOf(workspaceId))
        if (!commands.some((command) => command.name === name))
          throw new NamedError('CommandNotFound', `There is no command /${name.slice(0, 100)} of yours.`, {
            status: 404,
          })
        const { parts } = await options.takeMessage({
          parts: [{ type: 'text', text: `/${name} ${body.rest}` }],
          workspaceId,
          session: undefined,
          chain: () => Promise.resolve([]),
        })
        return c.json({ parts: parts.filter(({ type }) => type !== 'text') })
      },
    }),
    route({
      method: 'GET',
      path: '/ai/complete',
      summary: 'What a word that begins with / or @ may become: commands and skills, or agents, files and folders.',
      query: z.object({ text: z.string().max(500), most: z.coerce.number().int().min(1).max(1000).optional() }),
      scoped: true,
      answers: { 200: '{items: [{kind: command|skill|file|folder|agent, insert, label, detail}], more}' },
      async handle(c, { query, workspaceId }) {
        return c.json(
          await complete(
            query['text'] ?? '',
            await workspaceOf(workspaceId),
            query['most'] === undefined ? undefined : Number(query['most']),
          ),
        )
      },
    }),
  ]
}

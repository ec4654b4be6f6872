import type { ServerTexts } from '../server-texts.ts'
import { agents } from './zh/agents.ts'
import { actions, facts, summaries, titles } from './zh/calls.ts'
import { chats } from './zh/chats.ts'
import { commandsAndWeb } from './zh/commands-and-web.ts'
import { doctor } from './zh/doctor.ts'
import { documents } from './zh/documents.ts'
import { files } from './zh/files.ts'
import { git } from './zh/git.ts'
import { models } from './zh/models.ts'
import { pageTools } from './zh/page-tools.ts'
import { permissions } from './zh/permissions.ts'
import { problems } from './zh/problems.ts'
import { queries } from './zh/queries.ts'
import { requests } from './zh/requests.ts'
import { runs } from './zh/runs.ts'
import { team } from './zh/team.ts'
import { workspaceFiles } from './zh/workspace-files.ts'

export const zh: ServerTexts = {
  action: actions,
  title: titles,
  summary: summaries,
  fact: facts,
  text: [
    ...permissions,
    ...chats,
    ...agents,
    ...models,
    ...requests,
    ...documents,
    ...runs,
    ...files,
    ...git,
    ...workspaceFiles,
    ...commandsAndWeb,
    ...queries,
    ...pageTools,
    ...doctor,
    ...problems,
    ...team,
  ],
}

import type { Texts } from './en.ts'
import { agentTexts } from './zh/agents.ts'
import { approvalTexts } from './zh/approvals.ts'
import { chatTexts } from './zh/chat.ts'
import { columnTexts } from './zh/columns.ts'
import { composerTexts } from './zh/composer.ts'
import { contentTexts } from './zh/content.ts'
import { mcpTexts } from './zh/mcp.ts'
import { modelTexts } from './zh/models.ts'
import { pageTexts } from './zh/page.ts'
import { sessionTexts } from './zh/sessions.ts'
import { settingsTexts } from './zh/settings.ts'
import { teamTexts } from './zh/team.ts'

export const zh: Texts = {
  language: '中文',
  tag: 'zh',
  ...agentTexts,
  ...approvalTexts,
  ...chatTexts,
  ...columnTexts,
  ...composerTexts,
  ...contentTexts,
  ...mcpTexts,
  ...modelTexts,
  ...pageTexts,
  ...sessionTexts,
  ...settingsTexts,
  ...teamTexts,
}

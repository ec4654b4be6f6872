import { pluralize } from './plural.ts'

/** Texts of buttons and titles whose dialogs and panels load later, with the rest of their texts. */
export const buttonTexts = {
  agents: {
    picked: (name: string) => `Agent: ${name}`,
    choose: 'Choose an agent',
    manage: 'Manage agents…',
  },
  branches: {
    title: 'Branches',
    open: 'Branch map',
  },
  context: {
    title: 'Context',
    ring: (percent: string, window: string) => `Context: ${percent} of ${window} tokens used`,
    ringUnknown: (tokens: string) => `Context: ${tokens} tokens used. This model’s context size is unknown.`,
  },
  mcp: {
    title: 'MCP servers',
    titleWaiting: (waiting: number) =>
      `MCP servers: ${pluralize(waiting, 'server needs', 'servers need')} your attention`,
    status: {
      off: 'off',
      login: 'login required',
      otherTools: 'tools have changed',
      notTrusted: 'not trusted yet',
      connecting: 'connecting…',
      failed: 'not working',
      tools: (used: number, all: number) =>
        used === all ? pluralize(all, 'tool') : `${used} of ${pluralize(all, 'tool')}`,
      tokens: (tokens: string) => `about ${tokens} tokens per model call`,
    },
  },
  rules: {
    titleUnconfined: 'Permissions: no sandbox',
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
  },
  palette: {
    title: 'Go to anything',
    sessions: 'Show or hide chats',
  },
  review: {
    name: 'Review approvals',
    open: (count: number) => `Review ${pluralize(count, 'approval')}`,
    waiting: (count: number) => `${pluralize(count, 'tool call')} ${count === 1 ? 'needs' : 'need'} your approval`,
  },
  debug: {
    title: 'Debug',
    shortcut: 'Debug panel: hooks and raw stream',
  },
  settings: { title: 'Settings' },
  share: { title: 'Share chat', print: 'Print…' },
}

/** The inbox of approvals and questions. */
export const approvalTexts = {
  inbox: {
    title: 'Needs your attention',
    nothingPending: 'Nothing needs your attention',
    count: (count: number) => `${count} ${count === 1 ? 'needs' : 'need'} your attention`,
    several: (count: number) => `${count} items need your attention`,
    notifyBody: 'Troupe needs your answer.',
    needsAttention: 'needs your attention:',
    andMore: (count: number) => ` (and ${count} more)`,
    asks: 'asks:',
    inPanel: 'Answer in its panel',
    answer: 'Answer',
  },
}

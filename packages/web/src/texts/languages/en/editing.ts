/** English texts for explaining and editing rules, hooks, skills and MCP servers. */
export const editingTexts = {
  explain: {
    title: 'Explain a tool call',
    words: 'why decides rule explain simulate command path allowed denied',
    about: 'Type a tool call to see which rule decides it. Nothing runs.',
    kind: 'Kind of tool call',
    kinds: { command: 'Run a command', read: 'Read a file', write: 'Write a file', url: 'Open a URL', tool: 'Any tool' },
    call: 'Tool call',
    examples: {
      command: 'npm test && git push',
      read: '.env',
      write: 'src/app.ts',
      url: 'https://example.com/docs',
      tool: 'Task {"agent": "explore", "prompt": "…"}',
    },
    explain: 'Explain',
    badCall: 'Write the name of the tool, then its input as JSON.',
    byRule: 'Decided by the rule',
    noRule: 'No rule matches. The mode and the defaults decide.',
    wouldAllow: 'These rules would allow it:',
    edit: 'Edit',
  },
}

/** What one server may cost us. Whoever exceeds it loses its connection, or the tool that is too big; nobody else notices. */
export interface McpLimits {
  /** From the start of the process to the end of the handshake and the list of tools. */
  connectMs: number
  /** How long a call may go without a result or a word of progress. */
  callMs: number
  /** How long a call may take in all, the time that people think not counted. */
  longestCallMs: number
  messageBytes: number
  /** How deep the JSON of a message may be nested. */
  depth: number
  /** Messages that answer nothing we asked, in ten seconds. */
  unasked: number
  /** Lines on the standard output that are no messages, in ten seconds. */
  noise: number
  tools: number
  /** Description and schema of one tool, in characters. */
  toolCharacters: number
  /** Those of all tools of a server together. */
  allCharacters: number
  pages: number
  logCharacters: number
  /** What is read of the standard error in a second; whoever writes more waits. */
  errorBytes: number
  /** What may wait to be read by the server. */
  unreadBytes: number
}

export const mcpLimits: McpLimits = {
  connectMs: 30_000,
  callMs: 120_000,
  longestCallMs: 3_600_000,
  messageBytes: 8 << 20,
  depth: 200,
  unasked: 5000,
  noise: 1000,
  tools: 1000,
  toolCharacters: 100_000,
  allCharacters: 2_000_000,
  pages: 100,
  logCharacters: 64_000,
  errorBytes: 1 << 20,
  unreadBytes: 16 << 20,
}

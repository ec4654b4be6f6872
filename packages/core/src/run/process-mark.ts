/**
 * The environment that a tool gives to the processes it starts, so that they are known as those of its call even when
 * the leader of their group is gone.
 */
export function processMark(runId: string, toolCallId: string): Record<string, string> {
  return { TROUPE_CALL: `${runId}/${toolCallId}` }
}

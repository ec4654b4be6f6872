/** No common changes: each dialect's search reindexes messages with tool calls. */
export function up(): Promise<void> {
  return Promise.resolve()
}

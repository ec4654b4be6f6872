/** Nothing of its own: the search of each dialect looks through messages with calls anew. */
export function up(): Promise<void> {
  return Promise.resolve()
}

/** What one call of a tool was and brought. */
export interface ToolLog {
  name: string
  kwargs: unknown
  /** What the model said that the call is for. */
  purpose: string
  /** Absent when the call failed. */
  result?: unknown
  error?: string
}

/** What the model reads of the calls: results by purpose; a purpose that was given twice is numbered. */
export function actionResults(logs: readonly ToolLog[]): Record<string, unknown> {
  const results: Record<string, unknown> = {}
  for (const { purpose, result, error } of logs) {
    let name = purpose
    for (let n = 2; Object.hasOwn(results, name); n++) name = `${purpose} (${n})`
    results[name] = error === undefined ? result : { error }
  }
  return results
}

/** One line for a person who watches. */
export function toolLogLine({ name, kwargs, purpose, result, error }: ToolLog): string {
  const brought = error === undefined ? preview(result) : `failed: ${error}`
  return `[tool] ${name}(${preview(kwargs)}) for "${purpose}" -> ${brought}`.replaceAll('\n', ' ')
}

function preview(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** What a person made of a call's input; without `input` where it says the same as before. */
export type EditedInput = { ok: true; input?: unknown } | { ok: false; problem: string }

export function readEditedInput(text: string, before: unknown): EditedInput {
  try {
    const input: unknown = JSON.parse(text)
    return JSON.stringify(input) === JSON.stringify(before) ? { ok: true } : { ok: true, input }
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) }
  }
}

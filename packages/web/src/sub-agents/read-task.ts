import { isRecord, textIn } from '../displays/parts/read-fields.ts'

/** Who is to do what, by whichever of its names the model has called the fields. */
export function readTask(input: unknown): { name: string | undefined; task: string } {
  const fields = isRecord(input) ? input : {}
  const first = (...names: string[]) => names.map((name) => textIn(fields[name])?.trim()).find(Boolean)
  return {
    name: first('name', 'subagent_type', 'agent_type'),
    task: first('task', 'prompt', 'message', 'description') ?? '',
  }
}

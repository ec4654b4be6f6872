import { loadFolderSync, type Loaded } from '../load-folder.ts'
import { checkHookAnswer } from './answer-schema.ts'
import { defaultHookMs, hookEvents, type Hook, type HookDefinition } from './hook.ts'
import { createMatcher, type MatchPlace } from './match-call.ts'

/**
 * The hooks in folders, one file each: `export default defineHook({...})`. A file that cannot be loaded is reported, and
 * denies every call until it is put right: what it would have denied is not known.
 */
export function loadHooks(
  folders: readonly string[],
  place: MatchPlace,
): { hooks: Hook[]; problems: Loaded<Hook>['problems'] } {
  const loaded = folders.map((folder) => loadFolderSync(folder, (value, _name, file) => checkHook(value, file, place)))
  const problems = loaded.flatMap((one) => one.problems)
  const hooks = loaded.flatMap(({ entries }) => entries.map(({ value }) => value))
  return { hooks: [...problems.map(missing), ...hooks], problems }
}

function checkHook(value: unknown, file: string, place: MatchPlace): Hook {
  if (typeof value !== 'object' || value === null)
    throw new Error('the default export is not a hook; use defineHook({...})')
  const { event, match, timeoutMs = defaultHookMs, run } = value as HookDefinition
  if (!hookEvents.includes(event)) throw new Error(`event must be one of ${hookEvents.join(', ')}`)
  if (typeof run !== 'function') throw new Error('run is not a function')
  if (!Number.isFinite(timeoutMs) || timeoutMs <= 0) throw new Error('timeoutMs must be a positive number')
  return {
    name: file,
    event,
    timeoutMs,
    ...createMatcher(match, place),
    async run(occasion, signal) {
      const answer = await run(occasion as never, signal)
      return answer === undefined || answer === null ? undefined : checkHookAnswer(answer)
    },
  }
}

function missing({ path, message }: { path: string; message: string }): Hook {
  return {
    name: path,
    event: 'before-call',
    timeoutMs: defaultHookMs,
    run: () => Promise.reject(new Error(`it could not be loaded: ${message}`)),
  }
}

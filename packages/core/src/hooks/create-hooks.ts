import { z } from 'zod'
import { runCommandHook } from './command-hook.ts'
import { defaultHookMs, hookEvents, type Hook, type HookEvent } from './hook.ts'
import { createMatcher, type MatchPlace } from './match-call.ts'

const entry = z.looseObject({
  command: z.string().min(1).max(20_000).describe('run by bash in the workspace; JSON on its standard input'),
  match: z
    .union([z.string().min(1).max(2000), z.array(z.string().min(1).max(2000)).max(1000)])
    .optional()
    .describe('rules that name the calls it is about, e.g. "Bash" or ["Edit(src/**)", "Write"]; absent: all'),
  timeoutMs: z.int().positive().max(600_000).optional().describe('a hook that takes longer has failed'),
})

/** `hooks` of config.json: commands by the event they wait for. */
export const hooksConfigSchema = z.looseObject({
  'before-call': z.array(entry).max(100).optional().describe('before a call is decided on'),
  'after-call': z.array(entry).max(100).optional().describe('when a call has its result'),
  ask: z.array(entry).max(100).optional().describe('before a person is asked'),
  'run-end': z.array(entry).max(100).optional().describe('when a turn is over'),
} satisfies Record<HookEvent, z.ZodType>)
export type HooksConfig = z.infer<typeof hooksConfigSchema>

export interface HookPlace extends MatchPlace {
  /** How messages say where the hooks come from: the path of the config. */
  source: string
  env?: NodeJS.ProcessEnv
}

/** The hooks of a config. Those of a project are for whoever trusts it; that is the caller's to know. */
export function createHooks(config: HooksConfig | undefined, place: HookPlace): Hook[] {
  return hookEvents.flatMap((event) =>
    (config?.[event] ?? []).map(({ command, match, timeoutMs = defaultHookMs }, index) => ({
      name: `${event} ${index + 1} of ${place.source}`,
      event,
      timeoutMs,
      command,
      ...createMatcher(match, place),
      run: (occasion, signal) => runCommandHook(command, occasion, signal, place.env),
    })),
  )
}

import type { HookVerdict } from '../hooks/run-hooks.ts'

/** A text for the model with what hooks have to add to it, each as data that cannot pass for anything around it. */
export function withHookContext(text: string, context: HookVerdict['context']): string {
  const added = context.map(
    ({ hook, text: said }) =>
      `<hook-context name=${JSON.stringify(hook).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')}>\n${said.replace(/<(?=\s*\/?\s*hook-context)/gi, '<\\')}\n</hook-context>`,
  )
  return [text, ...added].join('\n\n')
}

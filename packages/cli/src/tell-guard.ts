import { styleText } from 'node:util'
import type { SandboxFinding } from '@troupe/core'
import { printNotice, type CommandContext } from './command.ts'

/** Says what does not protect the person here. */
export function warnAboutProtection(
  context: Pick<CommandContext, 'stderr' | 'env'>,
  { sandbox, allowBypass }: { sandbox: SandboxFinding; allowBypass: boolean },
): void {
  if (sandbox.sandbox === undefined) {
    const fix = sandbox.fix === undefined ? '' : ` ${sandbox.fix}`
    printNotice(context, `${highlight(context, 'yellow', 'NO SANDBOX:')} ${sandbox.text}${fix}`)
    printNotice(context, 'Commands run with all your rights once they are approved, so more of them ask.')
  }
  if (allowBypass)
    printNotice(
      context,
      highlight(
        context,
        'red',
        'BYPASS IS ALLOWED: a session in the mode bypass asks for nothing. What runs there can change or send away all that you can.',
      ),
    )
}

/** Colours only for people: not in a file, and not where they are unwanted. */
function highlight(
  { stderr, env }: Pick<CommandContext, 'stderr' | 'env'>,
  color: 'red' | 'yellow',
  text: string,
): string {
  const colored = stderr.isTTY && !env['NO_COLOR']
  return colored ? styleText(['bold', color], text, { validateStream: false }) : text
}

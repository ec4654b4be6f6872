import { fstatSync } from 'node:fs'
import { printNotice, UsageError, type CommandContext } from './command.ts'

/** The prompt of the command line, followed by what is piped in. `typed`: what of it the person wrote. */
export async function readPrompt(
  positionals: string[],
  context: CommandContext,
): Promise<{ prompt: string; typed: string }> {
  if (positionals.length > 1) {
    throw new UsageError(`one prompt is expected, ${positionals.length} were given. Put it in quotes.`)
  }
  const given = positionals[0]?.trim() ?? ''
  const piped = isPiped(context.stdin) ? (await readAll(context)).trim() : ''
  const prompt = [given, piped].filter((text) => text !== '').join('\n\n')
  if (prompt === '') throw new UsageError('there is no prompt: troupe -p "…", or pipe one in')
  return { prompt, typed: given }
}

/** A terminal and /dev/null are character devices; a shell gives a pipe or a file, a program often a socket. */
function isPiped(stdin: CommandContext['stdin']): boolean {
  if (stdin.isTTY) return false
  try {
    return !fstatSync(stdin.fd).isCharacterDevice()
  } catch {
    // It is closed.
    return false
  }
}

async function readAll(context: CommandContext): Promise<string> {
  const hint = setTimeout(
    () => printNotice(context, 'reading from stdin until it ends (close it, or add </dev/null)'),
    3000,
  )
  try {
    const pieces: Buffer[] = []
    for await (const piece of context.stdin) {
      hint.refresh()
      pieces.push(piece as Buffer)
    }
    return Buffer.concat(pieces).toString('utf8')
  } finally {
    clearTimeout(hint)
  }
}

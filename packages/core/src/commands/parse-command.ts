/** A message that begins with a command: `/name`, or `/dir:name`, and what follows it. */
export interface ParsedCommand {
  name: string
  rest: string
}

const pattern = /^\/([\p{L}\p{N}][\p{L}\p{N}_-]{0,63}(?::[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}){0,5})(?:\s+([\s\S]*))?$/u

/** Undefined for everything else: a path such as `/usr/bin` is none, nor is `/skill/name`. */
export function parseCommand(text: string): ParsedCommand | undefined {
  const match = pattern.exec(text.trim())
  return match === null ? undefined : { name: (match[1] as string).toLowerCase(), rest: (match[2] ?? '').trim() }
}

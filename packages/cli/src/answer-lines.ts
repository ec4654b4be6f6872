import { once } from 'node:events'
import type { CommandContext } from './command.ts'

const longestLine = 1 << 22

/**
 * Reads lines from stdin to its end and writes one line of JSON for each that is not empty, in order. What is read
 * together is written together, and nothing more is read while the reader of the answers is behind.
 */
export async function answerLines(
  { stdin, stdout }: Pick<CommandContext, 'stdin' | 'stdout'>,
  answer: (line: string) => object | Promise<object>,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  let tooLong = false

  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    await write(lines)
    if (rest.length <= longestLine) continue
    rest = ''
    tooLong = true
  }
  await write([rest + decoder.decode()])

  async function write(lines: string[]): Promise<void> {
    const answers: string[] = []
    for (const line of lines) {
      const answered = answerTo(line)
      if (answered !== undefined) answers.push(`${JSON.stringify(await answered)}\n`)
    }
    if (answers.length > 0 && !stdout.write(answers.join(''))) await once(stdout, 'drain')
  }

  function answerTo(line: string): object | Promise<object> | undefined {
    if (tooLong || line.length > longestLine) {
      tooLong = false
      return { error: `longer than ${longestLine} characters` }
    }
    return line.trim() === '' ? undefined : answer(line)
  }
}

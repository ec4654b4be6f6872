/**
 * A line that stands for code which the model left out: "// ... rest of the code ...", "# existing code remains".
 * Undefined when there is none, or when the text that is replaced has it too.
 */
export function findPlaceholder(newText: string, oldText: string): string | undefined {
  const found = newText.split('\n').filter((line) => line.length < 1000 && isPlaceholder(line.trim()))
  if (found.length === 0) return undefined
  const known = new Set(oldText.split('\n').map((line) => line.trim()))
  return found.map((line) => line.trim()).find((line) => !known.has(line))
}

const commentStart = /^(\/\/|#|--|;|%|\/\*|\*|<!--|\{\/\*|\(|\.\.\.|…)/
const ellipsis = /\.\.\.|…/
const omissionWords =
  /\b(rest of|remaining|remainder of|existing|unchanged|previous|original|same as (before|above)|omitted)\b/i
const omittedNouns =
  /\b(code|file|function|functions|method|methods|class|implementation|content|contents|logic|imports?|lines|body|props|fields|tests?|cases?|styles?|markup|html|section|here|stays|remains?|as is|before|above)\b/i

function isPlaceholder(line: string): boolean {
  if (line.length > 120 || !commentStart.test(line)) return false
  return ellipsis.test(line) && omissionWords.test(line) && omittedNouns.test(line)
}

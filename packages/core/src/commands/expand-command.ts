/**
 * The text of a command with what followed its name put in: `$ARGUMENTS` is all of it, `$1` to `$9` are its words, of
 * which several in quotation marks are one. Where the text names none of these, all of it stands at the end. What is
 * put in is not looked at again.
 */
export function expandCommand(body: string, given: string): string {
  const words = wordsOf(given)
  let used = false
  const text = body.replace(/\$(?:ARGUMENTS(?![A-Za-z0-9_])|([1-9])(?![0-9]))/g, (_, number: string | undefined) => {
    used = true
    return number === undefined ? given : (words[Number(number) - 1] ?? '')
  })
  return used || given === '' ? text : `${text}\n\n${given}`
}

function wordsOf(given: string): string[] {
  return Array.from(
    given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}

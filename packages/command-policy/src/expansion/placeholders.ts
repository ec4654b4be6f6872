import { UnsupportedSyntax } from './simple-script.ts'

/** Placeholders in a word for text of a known kind. `anyText` may be anything. */
export const anyText = '\0'
/** A commit hash, or nothing. */
export const someCommit = '\u0001'
/** Text without blanks and patterns, such as a number. */
export const plainText = '\u0002'
/** A number, or nothing. */
export const someNumber = '\u0005'
/** The path of an installed program, or nothing. */
export const someProgram = '\u0003'
/** A file that git tracks. Its name has no blanks and is no option. */
export const trackedFile = '\u0004'

/** Any of them. */
export const placeholder = new RegExp(`[${anyText}${someCommit}${plainText}${someNumber}${someProgram}${trackedFile}]`)

/** Throws if a word has text that is only known at run time, and its program could do more with it than print. */
export function checkPlaceholders(words: readonly string[]): void {
  const [name = '', first = ''] = words
  for (const [index, word] of words.entries()) {
    if (!placeholder.test(word)) continue
    const isText =
      name === 'echo' ||
      name === ':' ||
      name === 'expr' ||
      ((name === 'basename' || name === 'dirname') && !word.includes(trackedFile)) ||
      (name === 'printf' && index > 1 && !first.startsWith('-')) ||
      (/^(test|\[)$/.test(name) && isTextTest(words, index))
    const isCommit =
      name === 'git' &&
      index > 1 &&
      words[index - 1] !== '-C' &&
      /^[\w.:/^~-]*$/.test(word.replaceAll(someCommit, 'x')) &&
      !word.startsWith('-')
    const isWhole = word.length === 1
    if (isText && (!word.includes(trackedFile) || /^(echo|printf)$/.test(name))) continue
    if (word.includes(someCommit) && isCommit) continue
    if (word === someProgram && isWhole && showsProgram.test(name)) continue
    if (word === trackedFile && isWhole && index > 0) continue
    // Numbers of processes. Other programs may take one as a file.
    if (word === someNumber && index > 0 && /^(ps|seq)$/.test(name)) continue
    throw new UnsupportedSyntax()
  }
}

/** `[ -n text ]`, `[ text = text ]`. Other tests would take the text as a file. */
function isTextTest(words: readonly string[], index: number): boolean {
  const [, first = '', second = ''] = words
  const count = words.length - (words[0] === '[' ? 2 : 1)
  if (count === 2) return /^-[nz]$/.test(first) && index === 2
  return count === 3 && /^(=|==|!=|-eq|-ne|-lt|-le|-gt|-ge)$/.test(second) && index !== 2
}

/** Programs that show an installed program without reading its content, or only its kind. */
const showsProgram =
  /^(ls|readlink|realpath|stat|file|dirname|basename|echo|printf|du|wc|readelf|nm|size|md5sum|sha\d+sum)$/

/** Writes a word for the strict analysis. Placeholders become text of their kind. */
export function quote(word: string, program = ''): string {
  const text = word
    .replaceAll(someCommit, program === 'git' ? 'HEAD' : 'x')
    .replaceAll(someProgram, '/usr/bin/env')
    .replaceAll(trackedFile, '/dev/null')
    .replaceAll(anyText, 'x')
    .replaceAll(plainText, '1')
    .replaceAll(someNumber, '1')
  return /^[A-Za-z0-9_@%+=:,./^-]+$/.test(text) || /^(\[|\])$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

import { type ArgumentCheck, type FileReading, optionSpec, parseOptions, type Program, readingsOf } from './program.ts'

/**
 * True if an awk program only computes and prints: no pipes, redirections, `getline`, `system`, or anything that opens
 * a file. Checks token by token and rejects unknown ones.
 */
export function isPlainAwk(program: string): boolean {
  const tokens = tokensOfAwk(program)
  if (tokens === undefined) return false
  const own = new Set(tokens.filter((_, at) => tokens[at - 1] === 'function'))
  if ([...own].some((name) => !/^[a-z]/.test(name) || awkFunctions.has(name) || awkUnsafeWords.has(name))) return false
  let braces = 0
  let brackets = 0
  for (const [at, token] of tokens.entries()) {
    if (token === '{') braces++
    if (token === '}') braces--
    if (token === '(' || token === '[') brackets++
    if (token === ')' || token === ']') brackets--
    if (braces < 0 || brackets < 0) return false
    // Inside braces `>` writes to a file. In brackets and in a pattern it compares.
    if (token === '>' && braces > 0 && brackets === 0) return false
    // The first part of `for (…;…;…)` may be any statement.
    if (/^printf?$/.test(token) && brackets > 0) return false
    if (/^[A-Za-z_]/.test(token) && !isPlainName(token, tokens[at + 1] === '(', own)) return false
  }
  return braces === 0 && brackets === 0
}

/** Returns the tokens without blanks, or undefined if one is unknown. */
function tokensOfAwk(program: string): string[] | undefined {
  const tokens: string[] = []
  for (let rest = program; rest !== '';) {
    const token = awkTokens.exec(rest)?.[0] ?? readSlash(rest, tokens.at(-1) ?? '')
    if (token === undefined) return undefined
    rest = rest.slice(token.length)
    if (!/^[ \t]+$/.test(token)) tokens.push(token)
  }
  return tokens
}

const awkTokens =
  /^(?:[ \t]+|\n|[A-Za-z_]\w*|\d+(?:\.\d+)?|"(?:[^"\\\n]|\\[nt"\\/])*"|&&|\|\||==|!=|<=|>=|!~|\+\+|--|[+*%-]=|[{}()[\],;$~!?:<>=+*%-])/
/** A regular expression literal. Bracket expressions must not contain a slash: implementations differ on it. */
const awkRegex = /^\/(?:[^/[\\\n]|\\[^\n]|\[\^?\]?(?:[^\]/\\\n]|\\[tnrdsw.-])*\])+\//

/**
 * A slash starts a regular expression where a value may begin, and divides after a value. Anything in between is
 * rejected: implementations differ.
 */
function readSlash(rest: string, before: string): string | undefined {
  if (before === '' || /^(?:[{}(,;!~\n]|&&|\|\||!~)$/.test(before)) return awkRegex.exec(rest)?.[0]
  const value = /^\d|^\]$/.test(before) || (/^[A-Za-z_]/.test(before) && !awkKeywords.has(before))
  return value && rest.startsWith('/') ? '/' : undefined
}
const awkKeywords = new Set(
  'BEGIN END if else while for do in next exit break continue delete print printf length return function'.split(' '),
)

const awkVariables = new Set(
  'BEGIN END if else while for do in next exit break continue delete print printf NR NF FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH OFMT CONVFMT IGNORECASE length'.split(
    ' ',
  ),
)
const awkFunctions = new Set(
  'if while for return length substr index split tolower toupper int sub gsub match sprintf printf print sqrt log exp sin cos atan2 rand srand delete in exit'.split(
    ' ',
  ),
)

function isPlainName(name: string, isCalled: boolean, own: ReadonlySet<string>): boolean {
  // Its body is part of the program and is checked with it.
  if (own.has(name)) return isCalled
  if (/^(function|return)$/.test(name)) return own.size > 0
  if (isCalled) return awkFunctions.has(name)
  // Lowercase names are the program's own variables. Others belong to awk.
  return awkVariables.has(name) || (/^[a-z][a-z0-9_]*$/.test(name) && !awkUnsafeWords.has(name))
}

const awkUnsafeWords = new Set(
  'getline system close fflush function func return nextfile include load namespace'.split(' '),
)

/**
 * True if a sed script only prints: addresses, blocks, labels, and commands on its two buffers. Rejects `w`, `r`, `e`,
 * and the flags of `s` that write or run. Delimiters must not occur in brackets: implementations differ.
 */
export function isPlainSed(script: string): boolean {
  let rest = script
  for (;;) {
    rest = rest.replace(/^[\s;}]+/, '')
    if (rest === '') return true
    const next = sedCommand.exec(rest)
    if (next === null) return false
    rest = rest.slice(next[0].length)
  }
}

/** Matches the text between delimiters: escapes, brackets without the delimiter, or any other character. */
const delimited = (delimiter: string): string =>
  String.raw`(?:\\[^\n]|\[\^?\]?(?:[^\]\n\\${delimiter}]|\\[tnsw.])*\]|[^\[\\\n${delimiter}])*`

const address = String.raw`(?:\d+(?:~\d+)?|\$|/${delimited('/')}/I?|\\\|${delimited(String.raw`\|`)}\|I?|\\#${delimited('#')}#I?|\\,${delimited(',')},I?)`
const addresses = String.raw`(?:${address}(?:,\s*(?:${address}|[+~]\d+))?\s*!?\s*)?`
const substitutions = ['/', String.raw`\|`, '#', ',', ':', '@', '%'].map(
  (mark) => `[sy]${mark}${delimited(mark)}${mark}${delimited(mark)}${mark}[gpiImM0-9]*`,
)
const plainSedCommand = [
  String.raw`[pPdDnNgGhHxl=Fz]`,
  String.raw`[qQ]\d*`,
  String.raw`[btT][ \t]*\w*`,
  ...substitutions,
].join('|')
/** Adds a line of text, up to the end of the line. A backslash would continue it. */
const sedText = String.raw`[aic](?:[ \t]*\\\n?)?[^\\\n]+(?:\n|$)`
const sedCommandEnd = String.raw`(?=\s*(?:[;\n}]|$))`
const sedCommand = new RegExp(
  String.raw`^(?:${addresses}(?:\{|${sedText}|(?:${plainSedCommand})${sedCommandEnd})|:\w+${sedCommandEnd})`,
)

const sedOptions = optionSpec(
  '-nErsuz -e=! --quiet --silent --expression=! --regexp-extended --separate --unbuffered --null-data --posix',
)
const awkOptions = optionSpec('-F= -v= --field-separator= --assign=')

/** Programs with their own language. Only the simplest scripts are accepted. */
export const scriptPrograms: Record<string, Program> = {
  sed: {
    look: lookSed,
    isTold(words) {
      const { unknown, operands, scripts } = parseOptions(words, sedOptions)
      return unknown === undefined && operands.length + scripts.length > 0
    },
  },
  awk: { look: lookAwk, isTold: hasAwkScript },
  gawk: { look: lookAwk, isTold: hasAwkScript },
  mawk: { look: lookAwk, isTold: hasAwkScript },
  // The meaning of its words depends on earlier ones: the last must be the filter.
  jq: {
    look: lookJq,
    isTold(words) {
      const [filter = '-', ...options] = words.toReversed()
      return !filter.startsWith('-') && options.every((word) => jqFlags.test(word) && !word.endsWith('args'))
    },
  },
}

function lookSed(words: readonly string[], name: string): ArgumentCheck {
  const read = parseOptions(words, sedOptions)
  if (read.unknown !== undefined) return { why: `"${name} ${read.unknown}" may write files.` }
  const scripts = read.scripts.map(({ value }) => value)
  const [first, ...others] = read.operands
  const files = scripts.length > 0 ? read.operands : others
  if (scripts.length === 0) scripts.push(first ?? '')
  if (!scripts.every(isPlainSed)) return { why: `The script of "${name}" may do more than print.` }
  return { reads: readingsOf({ ...read, operands: files }, 'files') }
}

function hasAwkScript(words: readonly string[]): boolean {
  const { unknown, operands } = parseOptions(words, awkOptions, { style: 'stop' })
  return unknown === undefined && operands.length > 0
}

function lookAwk(words: readonly string[], name: string): ArgumentCheck {
  const read = parseOptions(words, awkOptions, { style: 'stop' })
  if (read.unknown !== undefined) return { why: `"${name} ${read.unknown}" may do more than print.` }
  const [script = '', ...files] = read.operands
  const assigned = words.flatMap((word, at) =>
    words[at - 1] === '-v' ? [word] : word.startsWith('-v') ? [word.slice(2)] : [],
  )
  const settings = [...assigned.filter((word) => word !== ''), ...words.filter((word) => word.startsWith('--assign'))]
  if (settings.some((setting) => !/^([a-z][a-z0-9_]*|O?FS)=/.test(setting)))
    return { why: `"${name} -v" sets an unusual variable.` }
  if (!isPlainAwk(script)) return { why: `The program of "${name}" may do more than print.` }
  // `name=value` among the files is an assignment.
  return { reads: files.filter((file) => file !== '-' && !/^[A-Za-z_]\w*=/.test(file)).map((path) => ({ path })) }
}

const jqFlags =
  /^(-[acCejMnrRsS]+|--(compact-output|raw-output|raw-input|slurp|null-input|exit-status|monochrome-output|color-output|sort-keys|join-output|tab|ascii-output|stream|seq|unbuffered|args|jsonargs))$/
const jqTakes: ReadonlyMap<string, number> = new Map(
  Object.entries({ '--indent': 1, '--arg': 2, '--argjson': 2, '--slurpfile': 2, '--rawfile': 2 }),
)

/** Has its own parser: no `=`, and values are taken literally. The first other word is the filter. */
function lookJq(words: readonly string[]): ArgumentCheck {
  const reads: FileReading[] = []
  let filter: string | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const takes = jqTakes.get(word)
    if (takes !== undefined) {
      at += takes
      if (at >= words.length || (word === '--indent' && !/^\d$/.test(words[at] as string)))
        return { why: `"jq ${word}" is missing an argument.` }
      if (word === '--slurpfile' || word === '--rawfile') reads.push({ path: words[at] as string })
    } else if (word.startsWith('-')) {
      if (!jqFlags.test(word)) return { why: `"jq ${word}" may read other files.` }
    } else if (filter === undefined) {
      filter = word
    } else {
      reads.push({ path: word })
    }
  }
  if (/\b(import|include|modulemeta)\b/.test(filter ?? '')) return { why: 'The filter of "jq" may read other files.' }
  return { reads }
}

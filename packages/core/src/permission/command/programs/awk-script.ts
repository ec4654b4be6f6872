/**
 * Whether a program of awk only computes and prints: no pipes, no redirections, no `getline`, no `system`, nothing that
 * opens a file. Read token by token; whatever is not known is refused.
 */
export function isPlainAwk(program: string): boolean {
  let rest = program
  let depth = 0
  let before = ''
  while (rest !== '') {
    const token = awkTokens.exec(rest)?.[0] ?? readSlash(rest, before)
    if (token === undefined) return false
    rest = rest.slice(token.length)
    if (/^[ \t]+$/.test(token)) continue
    if (token === '{') depth++
    if (token === '}') depth--
    if (depth < 0) return false
    // Between braces `>` writes to a file; in a pattern it compares.
    if (token === '>' && depth > 0) return false
    if (/^[A-Za-z_]/.test(token) && !isPlainName(token, rest)) return false
    before = token
  }
  return depth === 0
}

const awkTokens =
  /^(?:[ \t]+|\n|[A-Za-z_]\w*|\d+(?:\.\d+)?|"(?:[^"\\\n]|\\[nt"\\/])*"|&&|\|\||==|!=|<=|>=|!~|\+\+|--|[+*%-]=|[{}()[\],;$~!?:<>=+*%-])/
/** A slash where a value may begin. Brackets must not hold one: programs differ about it. */
const awkRegex = /^\/(?:[^/[\\\n]|\\[^\n]|\[\^?\]?[^\]/\\\n]*\])+\//

/** Where a value may begin it is a regular expression, behind one it divides; in between programs differ. */
function readSlash(rest: string, before: string): string | undefined {
  if (before === '' || /^(?:[{}(,;!~\n]|&&|\|\||!~)$/.test(before)) return awkRegex.exec(rest)?.[0]
  const value = /^\d|^\]$/.test(before) || (/^[A-Za-z_]/.test(before) && !awkKeywords.has(before))
  return value && rest.startsWith('/') ? '/' : undefined
}
const awkKeywords = new Set(
  'BEGIN END if else while for do in next exit break continue delete print printf length'.split(' '),
)

const awkVariables = new Set(
  'BEGIN END if else while for do in next exit break continue delete print printf NR NF FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH OFMT CONVFMT IGNORECASE length'.split(
    ' ',
  ),
)
const awkFunctions = new Set(
  'if while for length substr index split tolower toupper int sub gsub match sprintf printf print sqrt log exp sin cos atan2 rand srand delete in exit'.split(
    ' ',
  ),
)

function isPlainName(name: string, rest: string): boolean {
  if (/^\s*\(/.test(rest)) return awkFunctions.has(name)
  // Variables of the program itself are written small; the others belong to awk.
  return awkVariables.has(name) || (/^[a-z][a-z0-9_]*$/.test(name) && !awkUnsafeWords.has(name))
}

const awkUnsafeWords = new Set(
  'getline system close fflush function func return nextfile include load namespace'.split(' '),
)

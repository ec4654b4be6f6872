export type SqlDialect = 'duckdb' | 'sqlite' | 'postgres' | 'mysql'

export interface SqlToken {
  kind: 'word' | 'string' | 'identifier' | 'number' | 'symbol'
  /** Without quotes. Words are in lower case. */
  text: string
  start: number
  end: number
}

/**
 * Splits SQL into tokens as the dialect does, without comments. Throws an Error for the model where two servers could
 * read the text in different ways.
 */
export function sqlTokens(sql: string, dialect: SqlDialect): SqlToken[] {
  const tokens: SqlToken[] = []
  let at = 0
  while (at < sql.length) {
    const skipped = skipSpace(sql, at, dialect)
    if (skipped > at) {
      at = skipped
      continue
    }
    const token = readToken(sql, at, dialect)
    tokens.push(token)
    at = token.end
  }
  return tokens
}

/** Quotes text as a string that every dialect reads in the same way. */
export function sqlString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function skipSpace(sql: string, at: number, dialect: SqlDialect): number {
  const char = sql[at] as string
  if (/\s/.test(char)) return at + 1
  if (char === '#' && dialect === 'mysql') return lineEnd(sql, at)
  if (sql.startsWith('--', at)) {
    // MySQL reads "--1" as two signs.
    if (dialect !== 'mysql' || at + 2 === sql.length || /\s/.test(sql[at + 2] as string)) return lineEnd(sql, at)
    throw new Error('Put a space after "--", or use parentheses for a negative number.')
  }
  if (sql.startsWith('/*', at)) return commentEnd(sql, at, dialect)
  return at
}

function lineEnd(sql: string, at: number): number {
  const end = sql.indexOf('\n', at)
  return end === -1 ? sql.length : end + 1
}

function commentEnd(sql: string, start: number, dialect: SqlDialect): number {
  if (dialect === 'mysql' && /^\/\*M?!/i.test(sql.slice(start, start + 4)))
    throw new Error('Comments that the server runs ("/*! … */") are not allowed.')
  const nests = dialect === 'postgres' || dialect === 'duckdb'
  let depth = 1
  let at = start + 2
  while (depth > 0) {
    const close = sql.indexOf('*/', at)
    if (close === -1) throw new Error('A comment is not closed. Add "*/".')
    const open = nests ? sql.indexOf('/*', at) : -1
    if (open !== -1 && open < close) {
      depth++
      at = open + 2
    } else {
      depth--
      at = close + 2
    }
  }
  return at
}

function readToken(sql: string, at: number, dialect: SqlDialect): SqlToken {
  const char = sql[at] as string
  if (char === "'") return readQuoted(sql, at, 'string', dialect === 'mysql')
  if (char === '"') return readQuoted(sql, at, dialect === 'mysql' ? 'string' : 'identifier', dialect === 'mysql')
  if (char === '`' && (dialect === 'mysql' || dialect === 'sqlite')) return readQuoted(sql, at, 'identifier', false)
  if (char === '[' && dialect === 'sqlite') {
    const end = sql.indexOf(']', at)
    if (end === -1) throw new Error('A name in brackets is not closed. Add "]".')
    return { kind: 'identifier', text: sql.slice(at + 1, end), start: at, end: end + 1 }
  }
  if (char === '$' && (dialect === 'postgres' || dialect === 'duckdb')) {
    const [tag] = /^\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/u.exec(sql.slice(at, at + 100)) ?? []
    if (tag !== undefined) {
      const close = sql.indexOf(tag, at + tag.length)
      if (close === -1) throw new Error(`A text is not closed. Add ${tag}.`)
      return { kind: 'string', text: sql.slice(at + tag.length, close), start: at, end: close + tag.length }
    }
  }
  return readWord(sql, at, dialect)
}

const wordPattern = /[\p{L}_][\p{L}\p{N}_$]*/uy
const numberPattern = /\d[\w.]*|\.\d\w*/y

function readWord(sql: string, at: number, dialect: SqlDialect): SqlToken {
  wordPattern.lastIndex = at
  const [word] = wordPattern.exec(sql) ?? []
  if (word !== undefined) {
    const end = at + word.length
    const next = sql[end]
    if (next === "'" && /^e$/i.test(word) && (dialect === 'postgres' || dialect === 'duckdb'))
      return { ...readQuoted(sql, end, 'string', true), start: at }
    if (/^u$/i.test(word) && /^&['"]/.test(sql.slice(end, end + 2)))
      throw new Error('Names and texts with Unicode escapes (U&"…") are not allowed. Write the characters themselves.')
    return { kind: 'word', text: word.toLowerCase(), start: at, end }
  }
  numberPattern.lastIndex = at
  const [number] = numberPattern.exec(sql) ?? []
  if (number !== undefined) return { kind: 'number', text: number, start: at, end: at + number.length }
  return { kind: 'symbol', text: sql[at] as string, start: at, end: at + 1 }
}

/** A doubled quote is one quote. With `escapes`, a backslash takes the next character as it is. */
function readQuoted(sql: string, start: number, kind: 'string' | 'identifier', escapes: boolean): SqlToken {
  const quote = sql[start] as string
  let text = ''
  for (let at = start + 1; at < sql.length; at++) {
    const char = sql[at] as string
    if (char === '\\' && escapes) text += sql[++at] ?? ''
    else if (char !== quote) text += char
    else if (sql[at + 1] === quote) text += sql[++at] as string
    else return { kind, text, start, end: at + 1 }
  }
  throw new Error(`A text is not closed. Add ${quote}.`)
}
